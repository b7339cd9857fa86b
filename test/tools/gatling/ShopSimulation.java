import static io.gatling.javaapi.core.CoreDsl.*;
import static io.gatling.javaapi.http.HttpDsl.*;

import io.gatling.javaapi.core.ScenarioBuilder;
import io.gatling.javaapi.core.Simulation;
import java.time.Duration;

/** Three users a second who look around, and two who meet every kind of failure. */
public class ShopSimulation extends Simulation {
  private static final Duration DURATION = Duration.ofSeconds(Integer.getInteger("seconds"));

  private final ScenarioBuilder buyers =
      scenario("Покупатель")
          .exec(http("Home page").get("/"))
          .pause(Duration.ofMillis(100))
          .group("Checkout, flow")
          .on(
              exec(http("商品列表").get("/products")),
              group("Inner").on(exec(http("Add to cart 🛒").post("/cart").check(status().is(201)))))
          .exec(http("Old").get("/old"));

  private final ScenarioBuilder unlucky =
      scenario("Unlucky")
          .exec(http("missing").get("/missing"))
          .exec(http("404 wanted").get("/missing").check(status().is(404)))
          .exec(http("reset").get("/reset"))
          .exec(http("timeout").get("/slow").requestTimeout(Duration.ofMillis(300)))
          .exec(http("body, \"quoted\"").get("/").check(bodyString().is("never")))
          .exec(http("not built").get("/#{nowhere}"));

  public ShopSimulation() {
    setUp(
            buyers.injectOpen(constantUsersPerSec(3).during(DURATION)),
            unlucky.injectOpen(constantUsersPerSec(2).during(DURATION)))
        .protocols(http.baseUrl(System.getProperty("target")));
  }
}
