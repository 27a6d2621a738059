// The manual's lines for JDBC, and what its table says of the driver. Says "ok" or "not ok" for each.
import java.sql.*;
import java.time.*;
import java.util.*;
import org.postgresql.util.*;

class Lines {
    // manual: jdbc-query

    static void check(String what, boolean isOk) {
        System.out.println((isOk ? "ok - " : "not ok - ") + what);
    }

    static void checkServer(Connection db, String call, Object... values) throws SQLException {
        try (ResultSet row = query(db, "SELECT * FROM " + call, values)) {
            while (row.next()) check(row.getString("what"), row.getBoolean("is_ok"));
        }
    }

    static String sqlstate(Connection db, String sql, Object... values) {
        try {
            query(db, sql, values).close();
        } catch (SQLException error) {
            return error.getSQLState();
        }
        return "00000";
    }

    static boolean isNear(OffsetDateTime time, Duration ahead) {
        return Duration.between(OffsetDateTime.now().plus(ahead), time).abs().toSeconds() < 30;
    }

    public static void main(String[] args) throws SQLException {
        Connection db = DriverManager.getConnection(args[0]);

        // manual: jdbc-send
        check("an array of uuids", ids.length == 2);
        checkServer(db, "after_send(?, ?)", id, sent);

        // manual: jdbc-receive
        check("receipts as strings", receipts.size() == 5 && receipts.stream().allMatch(r -> r.length() == 32));
        checkServer(db, "after_receive(?)", 5);

        // manual: jdbc-settle
        check("the new end of a lease", isNear(until, Duration.ofMinutes(10)));
        check("ends of many, null for what is lost",
            ends[0] == null && isNear(ends[1].toInstant().atOffset(ZoneOffset.UTC), Duration.ofMinutes(10)));
        check("a count", acked == 2);
        check("answers", Arrays.equals(answers, new String[] {"lost", "retry"}));
        check("booleans", Arrays.equals(givenBack, new Boolean[] {false, true}));
        checkServer(db, "after_settle(?, ?)", id, 1);

        // manual: jdbc-errors
        check("BT001 and its detail",
            "BT001".equals(code) && "The message was already settled with this receipt.".equals(detail));
        check("an error of the server's own", sqlstate(db, "SELECT baton.send('nix', '1')").equals("42704"));
        checkRow(db);
        checkCasts(db, mail);
        try (Connection untyped = DriverManager.getConnection(args[0] + "&stringtype=unspecified")) {
            check("with stringtype=unspecified no cast is needed",
                sqlstate(untyped, "SELECT baton.send('mail', ?, delay => ?)", mail, "1 s").equals("00000"));
        }
        db.close();
    }

    /** The columns of a message by the getters of the table. */
    static void checkRow(Connection db) throws SQLException {
        String hour = "SELECT baton.send('mail', ?::jsonb, headers => '{\"n\": 1.50}', body => ?, key => 'row')";
        UUID id = value(UUID.class, db, hour, "null", new byte[] {0, (byte) 255});
        try (ResultSet row = query(db, "SELECT * FROM baton.receive('mail', 10)")) {
            while (row.next() && !"row".equals(row.getString("key"))) {}
            check("a uuid", id.equals(row.getObject("id", UUID.class)));
            check("JSON's null", "null".equals(row.getString("payload")) && row.getString("topic") == null);
            check("all digits of a number", "{\"n\": 1.50}".equals(row.getString("headers")));
            check("a body", Arrays.equals(row.getBytes("body"), new byte[] {0, (byte) 255}));
            check("ints", row.getInt("attempt") == 1 && row.getInt("round") == 0);
            check("a time", isNear(row.getObject("lease_expires_at", OffsetDateTime.class), Duration.ofSeconds(30)));
        }
    }

    static void checkCasts(Connection db, String mail) throws SQLException {
        check("a string for jsonb needs a cast", sqlstate(db, "SELECT baton.send('mail', ?)", mail).equals("42883"));
        check("a string for an interval too",
            sqlstate(db, "SELECT baton.send('mail', '1', delay => ?)", "1 s").equals("42883"));
        Array texts = db.createArrayOf("text", new String[] {mail});
        check("and an array of text for jsonb[]", sqlstate(db, "SELECT baton.send_batch('mail', ?)", texts).equals("42883"));
        try (PreparedStatement send = db.prepareStatement("SELECT baton.send('mail', '1', headers => ?, deliver_at => ?)")) {
            send.setNull(1, Types.OTHER);
            send.setNull(2, Types.TIMESTAMP_WITH_TIMEZONE);
            check("setNull", send.execute());
        }
        try (PreparedStatement send = db.prepareStatement("SELECT baton.send('mail', '1', headers => ?::jsonb)")) {
            send.setString(1, null);
            check("null with a cast", send.execute());
        }
        check("an Instant is refused",
            sqlstate(db, "SELECT baton.send('mail', '1', deliver_at => ?)", Instant.now()).equals("07006"));
        check("an empty array", value(Long.class, db, "SELECT baton.ack_batch(?)", db.createArrayOf("text", new String[0])) == 0);
    }
}
