import { useEffect } from "preact/hooks";
import { linkTo } from "../address/address.ts";
import { knownName } from "../api/known-names.ts";
import { listLoadTests, type LoadTest, quotedWord, showLoadTest } from "../api/load-tests.ts";
import { useAnswer } from "../api/use-answer.ts";
import { dayAndTime } from "../format/times.ts";
import { useTitle } from "../shell/use-title.ts";

/** Replaces a load test that does not exist: others with its name, if known. */
export function Missing({ id }: { readonly id: string }) {
  const name = knownName(id);
  useTitle(`Run ${id} not found · Tachograph`);
  const { value } = useAnswer("namesakes", name ?? "", (signal) =>
    listLoadTests({ search: name === undefined ? name : quotedWord(name) }, signal),
  );
  useReloadOnceFound(id);
  const others = value?.loadTests.filter((each) => each.name === name && each.id !== id) ?? [];
  return (
    <main class="missing">
      <div role="alert">
        <h1>{`There is no run “${id}”`}</h1>
        <p class="rest">
          It was deleted, or the URL is wrong. If it starts later, it appears here.
        </p>
      </div>
      {others.length === 0 ? null : <Others loadTests={others.slice(0, OTHERS_MAX)} />}
      <a class="button" href={linkTo({ name: "list" })}>
        All runs
      </a>
    </main>
  );
}

const OTHERS_MAX = 10;

const ASK_AGAIN_MS = 5000;

/** A link may be opened before its run begins. */
function useReloadOnceFound(id: string): void {
  useEffect(() => {
    const abort = new AbortController();
    const timer = setInterval(() => {
      showLoadTest(id, abort.signal).then(
        () => location.reload(),
        () => undefined,
      );
    }, ASK_AGAIN_MS);
    return () => {
      clearInterval(timer);
      abort.abort();
    };
  }, [id]);
}

function Others({ loadTests }: { readonly loadTests: readonly LoadTest[] }) {
  return (
    <table aria-label="Runs with the same name">
      <tbody>
        {loadTests.map(({ id, name, from, createdAt }) => (
          <tr key={id}>
            <th scope="row">
              <a href={linkTo({ name: "load-test", id })}>{name}</a>
            </th>
            <td class="id">{id}</td>
            <td class="rest">
              {dayAndTime(from ?? Date.parse(createdAt) / 1000, Date.now() / 1000, "local")}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
