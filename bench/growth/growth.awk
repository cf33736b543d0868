# Writes the description of a system of `count` protection domains: a client, a passive server, a lowest-priority program,
# the serial port, and targets for the client's notifications.

function end(pd, id) { return "<end pd=\"" pd "\" id=\"" id "\"/>" }
function domain(name, image, more, inside) {
    printf "<protection_domain name=\"%s\" fpu=\"false\" %s>\n<program_image path=\"%s.elf\"/>\n<counter/>\n%s</protection_domain>\n", name, more, image, inside
}

BEGIN {
    print "<system>"
    print "<memory_region name=\"uart\" size=\"0x1000\" phys_addr=\"0x9000000\"/>"
    domain("uart", "uart", "priority=\"254\"", "<map mr=\"uart\" vaddr=\"0x2000000\" perms=\"rw\" cached=\"false\" setvar_vaddr=\"uart_base\"/>\n")
    domain("client", "client", "priority=\"100\"", "")
    domain("echo", "echo", "priority=\"150\" passive=\"true\"", "")
    domain("last", "last", "priority=\"1\"", "")
    print "<channel><end pd=\"client\" id=\"30\" pp=\"true\"/>" end("uart", 0) "</channel>"
    print "<channel><end pd=\"client\" id=\"0\" pp=\"true\"/>" end("echo", 0) "</channel>"
    print "<channel>" end("client", 1) end("last", 0) "</channel>"
    for (i = 0; i < count - 4; i++) {
        domain("target" i, "target", "priority=\"50\"", "")
        print "<channel>" end("client", i < 28 ? i + 2 : i + 3) end("target" i, 0) "</channel>"
    }
    print "</system>"
}
