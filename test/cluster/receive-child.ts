/** Receives notices on a machine of its own, and prints each as a line of JSON: node test/cluster/receive-child.ts PORT */

import { createServer } from "node:http";
import { json } from "node:stream/consumers";

createServer(async (request, response) => {
  const notice = await json(request);
  response.writeHead(204).end();
  console.log(JSON.stringify(notice));
}).listen(Number(process.argv[2]), "127.0.0.1");
