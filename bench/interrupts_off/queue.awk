# Writes the description of the system in which as many threads as there may be wait for a server.

function end(pd, id, more) { return "<end pd=\"" pd "\" id=\"" id "\"" more "/>" }
function channel(a, b) { print "<channel>" a b "</channel>" }
function begin(name, image, more) {
    printf "<protection_domain name=\"%s\" %s>\n<program_image path=\"%s.elf\"/>\n<counter/>\n", name, more, image
    print "<map mr=\"shared\" vaddr=\"0x3000000\"" (image == "crowd" || image == "ticker" || image == "victim" || image == "uart" ? "" : " setvar_vaddr=\"shared_page\"") "/>"
}
function domain(name, image, more) { begin(name, image, more); print "</protection_domain>" }
function device() { print "<map mr=\"device\" vaddr=\"0x2001000\" perms=\"rw\" cached=\"false\" setvar_vaddr=\"device_base\"/>" }

BEGIN {
    callers = 50
    keys = 31
    system_keys = 64
    long_slice = "budget=\"10000000\""
    print "<system>"
    print "<memory_region name=\"uart\" size=\"0x1000\" phys_addr=\"0x9000000\"/>"
    print "<memory_region name=\"device\" size=\"0x1000\" phys_addr=\"0x9020000\"/>"
    print "<memory_region name=\"shared\" size=\"0x1000\"/>\n<memory_region name=\"buffer\" size=\"0x1000\"/>"
    print "<memory_region name=\"most\" size=\"0x10000\"/>\n<memory_region name=\"other\" size=\"0x10000\"/>"
    for (key = 0; key < keys; key++) {
        print "<static_key name=\"key" key "\"/>"
    }
    print "<static_key name=\"far\"/>"
    # As many as a system may have: stopping a program looks at all of them.
    for (key = keys + 1; key < system_keys; key++) {
        print "<static_key name=\"key" key "\"/>"
    }

    begin("uart", "uart", "priority=\"254\"")
    print "<map mr=\"uart\" vaddr=\"0x2000000\" perms=\"rw\" cached=\"false\" setvar_vaddr=\"uart_base\"/>\n</protection_domain>"

    begin("driver", "driver", "priority=\"220\"")
    device()
    print "<irq irq=\"30\" id=\"0\"/>\n<wipe region=\"other\" irq=\"0\"/>\n</protection_domain>"

    begin("above", "above", "priority=\"210\" budget=\"1000\" period=\"10000\"")
    print "<cspace><cap_tcb slot=\"1\" pd=\"above\"/><cap_sc slot=\"2\" pd=\"crowd1\"/></cspace>\n</protection_domain>"

    domain("echo", "echo", "priority=\"205\" budget=\"1000\" period=\"10000\"")

    begin("tester", "tester", "priority=\"200\" budget=\"3000000\" period=\"4000000\"" (arch == "aarch64" ? " smc=\"true\"" : ""))
    device()
    print "<map mr=\"buffer\" vaddr=\"0x3010000\" setvar_vaddr=\"buffer\"/>"
    print "<fpu_counters/>\n<fpu_policy/>\n<probe ring_vaddr=\"0x6000000\"/>"
    if (arch == "x86_64") print "<ioport id=\"0\" addr=\"0xcf8\" size=\"8\"/>"
    for (key = 0; key < keys; key++) {
        print "<key name=\"key" key "\" id=\"" key "\"/>"
    }
    print "<key name=\"far\" id=\"31\" symbol=\"far\"/>"
    print "<cspace><cap_tcb slot=\"1\" pd=\"tester\"/><cap_tcb slot=\"2\" pd=\"crowd0\"/><cap_tcb slot=\"3\" pd=\"server\"/>"
    print "<cap_tcb slot=\"4\" pd=\"above\"/><cap_sc slot=\"5\" pd=\"above\"/><cap_sched_control slot=\"6\"/></cspace>"
    begin("victim", "victim", "id=\"0\" priority=\"90\" " long_slice)
    print "<probe/>\n<digest id=\"0\" region=\"most\"/>"
    for (key = 0; key < keys; key++) {
        print "<key name=\"key" key "\" id=\"" key "\"" (key ? "" : " symbol=\"near\"") "/>"
    }
    print "</protection_domain>"
    domain("breaker", "breaker", "id=\"1\" priority=\"80\" budget=\"200\" period=\"10000\" timeout_fault=\"true\"")
    begin("wiper", "breaker", "id=\"2\" priority=\"80\" " long_slice)
    print "<wipe region=\"most\" fault=\"true\"/>\n</protection_domain>\n</protection_domain>"

    domain("ticker", "ticker", "priority=\"150\" budget=\"20\" period=\"2000\"")
    begin("server", "server", "priority=\"130\" " long_slice)
    print "<cspace><cap_tcb slot=\"1\" pd=\"server\"/></cspace>\n</protection_domain>"
    for (i = 0; i < callers; i++) {
        domain("crowd" i, "crowd", "priority=\"" 120 - 2 * i "\"")
    }
    domain("caller", "caller", "priority=\"23\"")
    domain("near_echo", "echo", "priority=\"140\" budget=\"1000\" period=\"10000\"")
    domain("lander", "lander", "priority=\"1\" " long_slice)

    split("tester above echo server caller lander driver breaker wiper victim", printing, " ")
    uart_id = 0
    for (i = 1; i <= 10; i++) {
        channel(end(printing[i], 30, " pp=\"true\""), end("uart", uart_id++, ""))
    }
    channel(end("tester", 0, " pp=\"true\""), end("echo", 0, ""))
    channel(end("tester", 1, ""), end("ticker", 0, ""))
    channel(end("tester", 2, ""), end("lander", 0, ""))
    channel(end("tester", 4, ""), end("caller", 1, ""))
    for (i = 0; i < callers; i++) {
        channel(end("crowd" i, 0, " pp=\"true\""), end("server", i < 30 ? i : i + 1, ""))
    }
    channel(end("caller", 0, " pp=\"true\""), end("server", 60, ""))
    channel(end("server", 61, " pp=\"true\""), end("near_echo", 0, ""))
    print "</system>"
}
