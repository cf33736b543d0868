# Writes the description of a system in which one program has `count` passive servers, which it calls and notifies.

BEGIN {
    print "<system>"
    print "<memory_region name=\"uart\" size=\"0x1000\" phys_addr=\"0x9000000\"/>"
    print "<protection_domain name=\"uart\" priority=\"254\" fpu=\"false\">\n<program_image path=\"uart.elf\"/>"
    print "<map mr=\"uart\" vaddr=\"0x2000000\" perms=\"rw\" cached=\"false\" setvar_vaddr=\"uart_base\"/>\n</protection_domain>"
    print "<protection_domain name=\"client\" priority=\"50\" fpu=\"false\">\n<program_image path=\"client.elf\"/>\n<counter/>\n</protection_domain>"
    print "<channel><end pd=\"client\" id=\"30\" pp=\"true\"/><end pd=\"uart\" id=\"0\"/></channel>"
    for (i = 0; i < count; i++) {
        printf "<protection_domain name=\"server%d\" priority=\"100\" passive=\"true\" fpu=\"false\">\n<program_image path=\"server.elf\"/>\n</protection_domain>\n", i
        printf "<channel><end pd=\"client\" id=\"%d\" pp=\"true\"/><end pd=\"server%d\" id=\"0\"/></channel>\n", i < 30 ? i : i + 1, i
    }
    print "</system>"
}
