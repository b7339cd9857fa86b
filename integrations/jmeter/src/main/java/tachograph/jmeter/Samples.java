package tachograph.jmeter;

import java.util.HashMap;
import java.util.Map;
import org.apache.jmeter.protocol.http.sampler.HTTPSampleResult;
import org.apache.jmeter.samplers.SampleResult;

/** Headers and bodies of some failed samples of each file of the spool, so that many failures do not add up. */
final class Samples {
    /** A little more than the server keeps, so that it sees what was cut. */
    private static final int TEXT_CHARACTERS_MAX = 4200;
    /** Failures of one label and code, and the characters of all, in a file. */
    private static final int OF_KIND_MAX = 6;
    private static final int CHARACTERS_MAX = 250_000;

    private final Map<String, Integer> kinds = new HashMap<>();
    private long fileNumber = -1;
    private int characters;

    /** Returns fields of line protocol, each with a comma before it. */
    synchronized String fieldsOf(SampleResult result, long currentFile) {
        if (fileNumber != currentFile) {
            fileNumber = currentFile;
            kinds.clear();
            characters = 0;
        }
        String kind = result.getResponseCode() + ' ' + result.getSampleLabel();
        int number = kinds.getOrDefault(kind, 0);
        if (number >= OF_KIND_MAX || characters >= CHARACTERS_MAX) return "";
        kinds.put(kind, number + 1);
        StringBuilder fields = new StringBuilder();
        if (result.getURL() != null) add(fields, "url", result.getURL().toString());
        if (result instanceof HTTPSampleResult) {
            HTTPSampleResult http = (HTTPSampleResult) result;
            add(fields, "method", http.getHTTPMethod());
            add(fields, "requestBody", http.getQueryString());
        }
        add(fields, "requestHeaders", result.getRequestHeaders());
        add(fields, "responseHeaders", result.getResponseHeaders());
        if (!SampleResult.BINARY.equals(result.getDataType())) {
            add(fields, "responseBody", result.getResponseDataAsString());
        }
        characters += fields.length();
        return fields.toString();
    }

    private static void add(StringBuilder fields, String name, String text) {
        if (text == null || text.isEmpty()) return;
        fields.append(',').append(name).append('=').append(Text.quoted(text, TEXT_CHARACTERS_MAX));
    }
}
