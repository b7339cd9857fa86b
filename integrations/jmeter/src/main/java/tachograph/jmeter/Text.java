package tachograph.jmeter;

/** Texts as line protocol writes them. */
final class Text {
    /** The server keeps 500 characters of a message, and shortens labels of more than 1,024 bytes. */
    private static final int CHARACTERS_MAX = 1100;

    private Text() {}

    /** Line feeds are escaped: the text comes from the system under test, and what follows one could be read as a point. */
    static String quoted(String text) {
        return quoted(text, CHARACTERS_MAX);
    }

    /** `null` as JMeter's own files have it: samplers take the message of an exception, which may have none. */
    static String quoted(String given, int charactersMax) {
        String text = String.valueOf(given);
        String cut = text.length() > charactersMax ? text.substring(0, charactersMax) : text;
        String escaped = cut.replace("\\", "\\\\").replace("\"", "\\\"");
        return '"' + escaped.replace("\n", "\\n").replace("\r", "\\r") + '"';
    }

    /** A backslash at the end would escape what follows. */
    static String tag(String text) {
        return text.replace('\\', '/').replaceAll("[,= \\s]", "_");
    }
}
