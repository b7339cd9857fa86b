package tachograph.jmeter;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;

/**
 * Files of lines that wait to be sent, in a folder of this process. A file is sent only when it is closed, and
 * then never changes: the server recognises its bytes if they are sent again. Files of processes that ended are
 * taken over.
 */
final class Spool {
    private static final long FILE_BYTES_MAX = 1_000_000;
    private static final String OPEN = ".open";
    private static final String CLOSED = ".lines";

    private static final FileAttribute<?>[] NO_ATTRIBUTES = {};
    private static final FileAttribute<?>[] OWNER_ONLY = {
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"))
    };

    private final Path folder;
    private final FileChannel lock;
    private OutputStream open;
    private Path openPath;
    private long openBytes;
    private long number;

    /** @param shared folder of all senders to the same load test */
    Spool(Path shared) throws IOException {
        folder = shared.resolve(UUID.randomUUID().toString());
        Files.createDirectories(shared);
        // Headers have their secrets until the server removes them.
        Files.createDirectory(folder, isPosix() ? OWNER_ONLY : NO_ATTRIBUTES);
        // One at a time: a folder that is not locked yet must not be taken over.
        synchronized (Spool.class) {
            try (FileChannel turn = lockFile(shared)) {
                turn.lock();
                lock = lockFile(folder);
                lock.lock();
                try (DirectoryStream<Path> others = Files.newDirectoryStream(shared)) {
                    for (Path other : others) if (!other.equals(folder)) takeOver(other);
                }
            }
        }
    }

    /** Windows is not. */
    private static boolean isPosix() {
        return FileSystems.getDefault().supportedFileAttributeViews().contains("posix");
    }

    private static FileChannel lockFile(Path in) throws IOException {
        return FileChannel.open(in.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    }

    /** Another one for each file. */
    synchronized long fileNumber() {
        return number;
    }

    /** Whole lines, which are in the file when it returns. */
    synchronized void append(String lines) throws IOException {
        if (open == null) start();
        byte[] bytes = lines.getBytes(StandardCharsets.UTF_8);
        open.write(bytes);
        openBytes += bytes.length;
        if (openBytes >= FILE_BYTES_MAX) close();
    }

    /** Closes the open file. Returns all closed ones, the oldest first. */
    synchronized List<Path> closed() throws IOException {
        if (open != null) close();
        List<Path> files = new ArrayList<>();
        try (DirectoryStream<Path> all = Files.newDirectoryStream(folder, "*" + CLOSED)) {
            for (Path file : all) files.add(file);
        }
        Collections.sort(files);
        return files;
    }

    /** Removes the folder if nothing is left in it. */
    synchronized void release() throws IOException {
        boolean isEmpty = closed().isEmpty();
        lock.close();
        if (!isEmpty) return;
        Files.deleteIfExists(folder.resolve("lock"));
        try {
            Files.deleteIfExists(folder);
        } catch (DirectoryNotEmptyException refusedFilesAreKept) {
            // The folder has files that the server refused.
        }
    }

    @Override
    public String toString() {
        return folder.toString();
    }

    /** The name stands in the file, so that no two files are equal. */
    private void start() throws IOException {
        String name = String.format("%s-%09d", folder.getFileName(), number++);
        openPath = folder.resolve(name + OPEN);
        open = Files.newOutputStream(openPath, StandardOpenOption.CREATE_NEW);
        byte[] head = ("# " + name + "\n").getBytes(StandardCharsets.UTF_8);
        open.write(head);
        openBytes = head.length;
    }

    private void close() throws IOException {
        OutputStream ending = open;
        open = null;
        ending.close();
        Files.move(openPath, withEnding(openPath), StandardCopyOption.ATOMIC_MOVE);
    }

    private Path withEnding(Path file) {
        String name = file.getFileName().toString();
        return folder.resolve(name.substring(0, name.lastIndexOf('.')) + CLOSED);
    }

    /** Does nothing while the other process runs. */
    private void takeOver(Path other) throws IOException {
        if (!Files.exists(other.resolve("lock"))) return;
        try (FileChannel channel = lockFile(other);
            FileLock taken = channel.tryLock()) {
            if (taken == null) return;
            try (DirectoryStream<Path> files = Files.newDirectoryStream(other, "*{" + OPEN + "," + CLOSED + "}")) {
                for (Path file : files) Files.move(file, withEnding(file), StandardCopyOption.ATOMIC_MOVE);
            }
            Files.deleteIfExists(other.resolve("lock"));
            Files.deleteIfExists(other);
        } catch (OverlappingFileLockException lockedByThisProcess) {
            // Another listener of this JMeter.
        } catch (DirectoryNotEmptyException refusedFilesAreKept) {
            // The folder has files that the server refused.
        }
    }
}
