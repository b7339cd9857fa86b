import org.apache.jmeter.config.Arguments;
import org.apache.jmeter.samplers.SampleEvent;
import org.apache.jmeter.samplers.SampleResult;
import org.apache.jmeter.samplers.SampleSaveConfiguration;
import org.apache.jmeter.save.CSVSaveService;
import org.apache.jmeter.visualizers.backend.BackendListenerContext;
import tachograph.jmeter.TachographListener;

/** Gives the listener samples without some of their texts, and prints each as JMeter saves it. The argument is the folder of the spool. */
public final class AbsentTexts {
    public static void main(String[] folder) throws Exception {
        Arguments settings = new Arguments();
        settings.addArgument("url", "http://127.0.0.1:1");
        settings.addArgument("id", "absent");
        settings.addArgument("spool", folder[0]);
        BackendListenerContext context = new BackendListenerContext(settings);
        TachographListener listener = new TachographListener();
        listener.setupTest(context);
        for (int absent = 0; absent < 5; absent++) {
            SampleResult result = SampleResult.createTestSample(10);
            result.setSaveConfig(new SampleSaveConfiguration());
            result.setSuccessful(false);
            result.setSampleLabel(absent == 0 ? null : "label");
            result.setResponseCode(absent == 1 ? null : "500");
            result.setResponseMessage(absent == 2 ? null : "message");
            result.setThreadName(absent == 3 ? null : "thread");
            result.setDataType(absent == 4 ? null : "text");
            System.out.println(CSVSaveService.resultToDelimitedString(new SampleEvent(result, "group"), ","));
            listener.createSampleResult(context, result);
        }
        System.exit(0);
    }
}
