//! What `npm run task test:tools -- goose` runs: every kind of answer that the target server has.

use goose::prelude::*;
use std::time::Duration;

async fn home(user: &mut GooseUser) -> TransactionResult {
    let _ = user.get("/").await?;
    let _ = user.get("/products").await?;
    Ok(())
}

async fn buy(user: &mut GooseUser) -> TransactionResult {
    let request = GooseRequest::builder()
        .method(GooseMethod::Post)
        .path("/cart")
        .name("cart, \"a\"")
        .build();
    let _ = user.request(request).await?;
    let _ = user.get("/old").await?;
    let _ = user.get_named("/slow", "slow").await?;
    Ok(())
}

async fn fail(user: &mut GooseUser) -> TransactionResult {
    let _ = user.get("/missing").await?;
    let _ = user.get("/reset").await?;
    Ok(())
}

#[tokio::main]
async fn main() -> Result<(), GooseError> {
    let pause = (Duration::from_millis(100), Duration::from_millis(300));
    let shop = scenario!("shop")
        .set_wait_time(pause.0, pause.1)?
        .register_transaction(transaction!(home).set_weight(4)?)
        .register_transaction(transaction!(buy).set_weight(3)?)
        .register_transaction(transaction!(fail).set_weight(1)?);
    GooseAttack::initialize()?
        .register_scenario(shop)
        .execute()
        .await?;
    Ok(())
}
