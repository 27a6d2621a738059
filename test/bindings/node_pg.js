// The manual's lines for node-pg, and what its table says of the driver. Says "ok" or "not ok" for each.
const { isDeepStrictEqual } = require("util");

const check = (what, isOk) => console.log(isOk ? "ok -" : "not ok -", what);
const same = (what, found, expected) => check(what, isDeepStrictEqual(found, expected));

async function main() {
    // manual: node-pg-connect
    const checkServer = async (name, ...values) => {
        const places = values.map((_, i) => `$${i + 1}`).join(", ");
        const { rows } = await db.query(`SELECT * FROM ${name}(${places})`, values);
        for (const row of rows) check(row.what, row.is_ok === true);
    };
    const sqlstate = async (sql, ...values) => {
        try {
            await db.query(sql, values);
        } catch (error) {
            return error.code;
        }
        return "00000";
    };

    // manual: node-pg-send
    check("a uuid comes as a string", /^[0-9a-f-]{36}$/.test(id));
    check("an array of uuids as an array of strings", ids.length === 2 && ids.every((i) => /^[0-9a-f-]{36}$/.test(i)));
    await checkServer("after_send", id, ids);

    // manual: node-pg-receive
    const [first, list, second, third, fourth, fifth] = messages;
    same("rows of messages", [first.id, fourth.id, fifth.id, messages.length], [id, ...ids, 6]);
    same("payloads come as values", [first, list, third, fifth].map((m) => m.payload),
        [mail, ["a", "list"], null, ["a", "list"]]);
    same("headers too, a null as null", [second.headers, first.headers], [{ lang: "en" }, null]);
    check("a body comes as a Buffer", Buffer.from([0, 255]).equals(third.body) && first.body === null);
    same("ints come as numbers", [first.attempt, first.round, first.priority], [1, 0, 0]);
    check("a time comes as a Date", first.lease_expires_at instanceof Date
        && first.lease_expires_at - first.enqueued_at > 110e3);
    check("a receipt comes as a string", messages.every((m) => typeof m.receipt === "string" && m.receipt.length === 32));
    await checkServer("after_receive", 6);

    // manual: node-pg-settle
    check("the new end of a lease", until > messages[1].lease_expires_at);
    check("ends of many, null for what is lost", ends[0] === null && ends[1] > messages[1].lease_expires_at);
    same("acked", acked, 2);
    same("answers come as an array of strings", answers, ["lost", "retry"]);
    same("booleans come as booleans", givenBack, [false, true, true]);
    await checkServer("after_settle", id, 2);

    // manual: node-pg-errors
    same("BT001 and its detail", [code, detail], ["BT001", "The message was already settled with this receipt."]);
    same("an error of the server's own", await sqlstate("SELECT baton.send('nix', $1)", mail), "42704");

    same("without an argument's type a cast is needed", [
        await sqlstate("SELECT jsonb_build_object('to', $1)", "x"),
        await sqlstate("SELECT jsonb_build_object('to', $1::text)", "x")], ["42P18", "00000"]);
    same("an array is no payload as it is", [
        await sqlstate("SELECT baton.send('mail', $1)", ["a", "list"]),
        await sqlstate("SELECT baton.send_batch('mail', $1)", [[1], [2]])], ["22P02", "2202E"]);
    same("nor is a string", await sqlstate("SELECT baton.send('mail', $1)", "text"), "22P02");
    const nullId = await value("SELECT baton.send('mail', $1)", "null");
    same('"null" is JSON\'s null', await value("SELECT payload::text FROM baton.peek('mail', id => $1)", nullId), "null");
    same("null and undefined are no payload", [
        await sqlstate("SELECT baton.send('mail', $1)", null),
        await sqlstate("SELECT baton.send('mail', $1)", undefined)], ["22004", "22004"]);
    same("a bigint comes as a string", await value("SELECT baton.ack_batch($1)", []), "0");
    same("an empty array needs no type", await value("SELECT baton.send_batch('mail', $1)", []), []);
    same("an interval needs no type", await sqlstate("SELECT baton.send('mail', $1, delay => $2)", mail, "1 s"), "00000");
    const digits = '{"n": 12345678901234567890.5}';
    const digitsId = await value("SELECT baton.send('mail', $1)", digits);
    same("numbers keep their digits in the queue",
        await value("SELECT payload::text FROM baton.peek('mail', id => $1)", digitsId), digits);
    await db.end();
}

main();
