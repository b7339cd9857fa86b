package tachograph.jmeter;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Paths;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.jmeter.assertions.AssertionResult;
import org.apache.jmeter.config.Arguments;
import org.apache.jmeter.samplers.SampleResult;
import org.apache.jmeter.visualizers.backend.AbstractBackendListenerClient;
import org.apache.jmeter.visualizers.backend.BackendListenerContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends every sample to Tachograph, exactly once. A sample is in a spool file before its thread goes on, so that
 * a killed JMeter loses none that it has finished. docs/tools/jmeter.md
 */
public final class TachographListener extends AbstractBackendListenerClient {
    private static final Logger LOG = LoggerFactory.getLogger(TachographListener.class);
    private static final int DRAIN_SECONDS = 30;
    private static final long CPU_EVERY_MILLIS = 5000;

    private final AtomicLong lost = new AtomicLong();
    /** When the CPU was last measured. */
    private final AtomicLong measuredAtMillis = new AtomicLong();
    /** null: this JVM does not measure it. */
    private final OperatingSystemMXBean system =
        ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean
            ? (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()
            : null;
    private String generator;
    private Spool spool;
    /** null: headers and bodies are not sent. */
    private Samples samples;
    private Sender sender;

    @Override
    public Arguments getDefaultParameters() {
        Arguments defaults = new Arguments();
        defaults.addArgument("url", "http://127.0.0.1:8013");
        defaults.addArgument("key", "${__env(TACHOGRAPH_KEY)}");
        defaults.addArgument("id", "jmeter-${__time(yyyyMMdd-HHmmss)}");
        defaults.addArgument("spool", "tachograph-spool");
        defaults.addArgument("generator", "");
        defaults.addArgument("samples", "true");
        return defaults;
    }

    @Override
    public void setupTest(BackendListenerContext context) throws IOException {
        Sender.Target target = new Sender.Target(
            required(context, "url"), required(context, "id"), context.getParameter("key", "").trim());
        String named = context.getParameter("generator", "").trim();
        generator = named.isEmpty() ? hostName() : named;
        String folder = context.getParameter("spool", "tachograph-spool");
        spool = new Spool(Paths.get(folder).resolve(target.folderName()));
        samples = "false".equalsIgnoreCase(context.getParameter("samples", "true").trim()) ? null : new Samples();
        sender = new Sender(spool, target);
        sender.start();
    }

    /** JMeter calls it in the thread of the sample. Nothing is queued. */
    @Override
    public SampleResult createSampleResult(BackendListenerContext context, SampleResult result) {
        StringBuilder lines = new StringBuilder(256);
        int count = addLines(lines, result, null);
        addCpu(lines);
        try {
            spool.append(lines.toString());
        } catch (IOException error) {
            if (lost.getAndAdd(count) == 0) LOG.error("cannot write samples to {}: they are lost", spool, error);
        }
        return null;
    }

    @Override
    public void handleSampleResults(List<SampleResult> results, BackendListenerContext context) {
        // All was done in `createSampleResult`.
    }

    @Override
    public void teardownTest(BackendListenerContext context) throws InterruptedException {
        int left = sender.finish(DRAIN_SECONDS);
        if (left > 0) {
            LOG.error("{} files were not sent and stay in {}: the next run to this load test sends them", left, spool);
        }
        if (lost.get() > 0) LOG.error("{} samples are lost: they could not be written to {}", lost.get(), spool);
    }

    /** Returns the number of lines: one for the sample and each sub-result. */
    private int addLines(StringBuilder lines, SampleResult result, String roleAround) {
        String role = roleOf(result, roleAround);
        lines.append("tachograph,role=").append(role).append(",generator=").append(Text.tag(generator));
        lines.append(" label=").append(Text.quoted(result.getSampleLabel()));
        lines.append(",elapsedMs=").append(result.getTime());
        lines.append(",success=").append(result.isSuccessful());
        lines.append(",receivedBytes=").append(result.getBytesAsLong()).append('i');
        lines.append(",users=").append(result.getAllThreads()).append('i');
        lines.append(",latencyMs=").append(result.getLatency());
        lines.append(",connectMs=").append(result.getConnectTime());
        lines.append(",idleMs=").append(result.getIdleTime());
        lines.append(",sentBytes=").append(result.getSentBytes()).append('i');
        lines.append(",threadName=").append(Text.quoted(result.getThreadName()));
        addOutcome(lines, result);
        lines.append(' ').append(result.getTimeStamp()).append('\n');
        int count = 1;
        for (SampleResult part : result.getSubResults()) count += addLines(lines, part, role);
        return count;
    }

    /** The CPU of this process in percent of all cores, every few seconds. */
    private void addCpu(StringBuilder lines) {
        long now = System.currentTimeMillis();
        long before = measuredAtMillis.get();
        if (system == null || now - before < CPU_EVERY_MILLIS) return;
        if (!measuredAtMillis.compareAndSet(before, now)) return;
        double share = system.getProcessCpuLoad();
        // Of the time since the last call: the first one has none.
        if (before == 0 || !(share >= 0)) return;
        lines.append("jmeter,host=").append(Text.tag(generator)).append(",role=generator cpu_percent=");
        lines.append(100 * share).append(' ').append(now).append('\n');
    }

    /** As JMeter's own reports: the message of an assertion counts if the response itself was fine. */
    private void addOutcome(StringBuilder lines, SampleResult result) {
        String code = String.valueOf(result.getResponseCode());
        // The usual code needs no field.
        if (result.isSuccessful() && "200".equals(code)) return;
        String assertion = assertionMessage(result);
        boolean isAsserted = !assertion.isEmpty() && (code.isEmpty() || code.matches("[1-3]\\d\\d"));
        lines.append(",code=").append(Text.quoted(code));
        if (result.isSuccessful()) return;
        lines.append(",message=").append(Text.quoted(isAsserted ? assertion : result.getResponseMessage()));
        if (samples != null) lines.append(samples.fieldsOf(result, spool.fileNumber()));
    }

    private static String assertionMessage(SampleResult result) {
        for (AssertionResult each : result.getAssertionResults()) {
            if (each.getFailureMessage() != null) return each.getFailureMessage();
        }
        return "";
    }

    /** Samples within a transaction are requests, within others sub-results. */
    private static String roleOf(SampleResult result, String around) {
        String message = String.valueOf(result.getResponseMessage());
        if (message.startsWith("Number of samples in transaction : ")) return "transaction";
        if ("request".equals(around) || "subresult".equals(around)) return "subresult";
        boolean isUnmarked = message.isEmpty() && "".equals(result.getDataType());
        return isUnmarked || "unclear".equals(around) ? "unclear" : "request";
    }

    private static String required(BackendListenerContext context, String name) {
        String value = context.getParameter(name, "").trim();
        if (value.isEmpty()) throw new IllegalArgumentException("Tachograph: the parameter " + name + " is missing");
        return value;
    }

    private static String hostName() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException error) {
            return "jmeter";
        }
    }
}
