# Writes the description of a system in which `count` programs call one server. The server's budget is below its period, so
# that callers queue while it has none left.

BEGIN {
    print "<system>"
    print "<memory_region name=\"uart\" size=\"0x1000\" phys_addr=\"0x9000000\"/>"
    print "<protection_domain name=\"uart\" priority=\"254\" fpu=\"false\">\n<program_image path=\"uart.elf\"/>"
    print "<map mr=\"uart\" vaddr=\"0x2000000\" perms=\"rw\" cached=\"false\" setvar_vaddr=\"uart_base\"/>\n</protection_domain>"
    print "<protection_domain name=\"server\" priority=\"200\" budget=\"400\" period=\"2000\" fpu=\"false\">"
    print "<program_image path=\"server.elf\"/>\n<counter/>\n</protection_domain>"
    print "<channel><end pd=\"server\" id=\"30\" pp=\"true\"/><end pd=\"uart\" id=\"0\"/></channel>"
    for (i = 0; i < count; i++) {
        printf "<protection_domain name=\"caller%d\" priority=\"100\" fpu=\"false\">\n<program_image path=\"caller.elf\"/>\n</protection_domain>\n", i
        printf "<channel><end pd=\"caller%d\" id=\"0\" pp=\"true\"/><end pd=\"server\" id=\"%d\"/></channel>\n", i, i < 30 ? i : i + 1
    }
    print "</system>"
}
