package tachograph.jmeter;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.URL;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPOutputStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sends closed spool files one after the other, each until the server has answered. */
final class Sender extends Thread {
    private static final Logger LOG = LoggerFactory.getLogger(Sender.class);
    private static final int INTERVAL_MS = 1000;
    private static final int TIMEOUT_MS = 30_000;

    private final Spool spool;
    private final Target target;
    private volatile boolean isEnding;
    /** Logged once until a file is sent. */
    private String complaint = "";

    Sender(Spool spool, Target target) {
        super("tachograph-sender");
        setDaemon(true);
        this.spool = spool;
        this.target = target;
    }

    @Override
    public void run() {
        while (true) {
            boolean isLast = isEnding;
            boolean isAllSent = sendAll();
            if (isLast && isAllSent) return;
            try {
                pause(isLast);
            } catch (InterruptedException stopped) {
                return;
            }
        }
    }

    private synchronized void pause(boolean isRetry) throws InterruptedException {
        if (isRetry || !isEnding) wait(INTERVAL_MS);
    }

    /** Sends the rest. Returns how many files could not be sent in time; they stay. */
    int finish(int seconds) throws InterruptedException {
        synchronized (this) {
            isEnding = true;
            notifyAll();
        }
        join(seconds * 1000L);
        try {
            int left = spool.closed().size();
            if (!isAlive()) spool.release();
            return left;
        } catch (IOException error) {
            LOG.error("cannot read {}", spool, error);
            return 1;
        }
    }

    private boolean sendAll() {
        try {
            for (Path file : spool.closed()) {
                if (!send(file)) return false;
            }
            return true;
        } catch (IOException error) {
            complain("cannot send to " + target.url + ", trying again: " + error);
            return false;
        }
    }

    /** Returns whether the file is done. */
    private boolean send(Path file) throws IOException {
        byte[] body = gzip(Files.readAllBytes(file));
        HttpURLConnection connection = target.open();
        connection.setConnectTimeout(TIMEOUT_MS);
        connection.setReadTimeout(TIMEOUT_MS);
        connection.setInstanceFollowRedirects(false);
        connection.setFixedLengthStreamingMode(body.length);
        try (OutputStream out = connection.getOutputStream()) {
            out.write(body);
        }
        int status = connection.getResponseCode();
        String answer = read(status < 400 ? connection.getInputStream() : connection.getErrorStream());
        if (status == 204) {
            Files.delete(file);
            complaint = "";
            return true;
        }
        if (status != 400 && status != 422) {
            complain(target.url + " answered " + status + ", trying again: " + answer);
            return false;
        }
        // It will never be accepted. What could be read is stored.
        Path refused = file.resolveSibling(file.getFileName() + ".refused");
        Files.move(file, refused);
        LOG.error("the server refused lines of {}: {}", refused, answer);
        return true;
    }

    private void complain(String text) {
        if (!text.equals(complaint)) LOG.warn(text);
        complaint = text;
    }

    private static byte[] gzip(byte[] bytes) throws IOException {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(packed)) {
            gzip.write(bytes);
        }
        return packed.toByteArray();
    }

    private static String read(InputStream stream) throws IOException {
        if (stream == null) return "";
        try (InputStream in = stream) {
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            byte[] part = new byte[8192];
            for (int count = in.read(part); count >= 0; count = in.read(part)) all.write(part, 0, count);
            return new String(all.toByteArray(), StandardCharsets.UTF_8);
        }
    }

    /** A load test on a server. */
    static final class Target {
        private final String url;
        private final String id;
        private final String key;

        Target(String url, String id, String key) {
            this.url = url.replaceAll("/+$", "");
            this.id = id;
            this.key = key;
        }

        /** Differs for each server and load test. */
        String folderName() {
            return (url.replaceFirst("^https?://", "") + "_" + id).replaceAll("[^A-Za-z0-9._-]", "_");
        }

        HttpURLConnection open() throws IOException {
            String address = url + "/write?precision=ms&db=" + URLEncoder.encode(id, "UTF-8");
            HttpURLConnection connection = (HttpURLConnection) new URL(address).openConnection();
            connection.setRequestMethod("POST");
            connection.setDoOutput(true);
            connection.setRequestProperty("Content-Encoding", "gzip");
            connection.setRequestProperty("Content-Type", "text/plain; charset=utf-8");
            if (!key.isEmpty()) connection.setRequestProperty("X-Service-Auth", key);
            return connection;
        }
    }
}
