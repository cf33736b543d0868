# Writes the description of a system of two domains. In one, as many threads as there may be use up their budgets in each slot
# and get them back until the next; both have interrupt lines, all in all as many as there are.

function begin(name, image, domain, more) {
    printf "<protection_domain name=\"%s\" domain=\"%s\" %s>\n<program_image path=\"%s.elf\"/>\n<counter shared=\"true\"/>\n", name, domain, more, image
    if (image != "uart") print "<map mr=\"shared\" vaddr=\"0x3000000\" setvar_vaddr=\"shared_page\"/>"
}
function device() { print "<map mr=\"device\" vaddr=\"0x2001000\" perms=\"rw\" cached=\"false\" setvar_vaddr=\"device_base\"/>" }

# Lines of devices that never interrupt.
function line(id) {
    if (arch == "x86_64") printf "<irq pin=\"%d\" vector=\"%d\" id=\"%d\"/>\n", next_line, next_line + 20, id
    else printf "<irq irq=\"%d\" id=\"%d\"/>\n", next_line, id
    next_line++
}

BEGIN {
    spinners = 59
    next_line = arch == "aarch64" ? 80 : arch == "riscv64" ? 36 : 5
    lines = arch == "aarch64" ? 118 : arch == "riscv64" ? 60 : 18
    print "<system>\n<domains>\n<domain name=\"crowd\"/>\n<domain name=\"other\"/>\n<domain_schedule>"
    print "<schedule_entry domain=\"other\" duration=\"2000 us\"/><schedule_entry domain=\"crowd\" duration=\"2000 us\"/>"
    print "</domain_schedule>\n</domains>"
    print "<memory_region name=\"uart\" size=\"0x1000\" phys_addr=\"0x9000000\"/>"
    print "<memory_region name=\"device\" size=\"0x1000\" phys_addr=\"0x9020000\"/>"
    print "<memory_region name=\"shared\" size=\"0x1000\"/>"
    begin("uart", "uart", "other", "priority=\"254\"")
    print "<map mr=\"uart\" vaddr=\"0x2000000\" perms=\"rw\" cached=\"false\" setvar_vaddr=\"uart_base\"/>\n</protection_domain>"
    begin("sweeper", "sweeper", "crowd", "priority=\"200\" budget=\"10000000\"")
    device()
    print "<irq irq=\"30\" id=\"0\"/>\n</protection_domain>"
    # The first that is set aside gets its budget back last: the others look for their places behind one another.
    for (i = 0; i < spinners; i++) {
        begin("spinner" i, "spinner", "crowd", "priority=\"100\" budget=\"20\" period=\"" (i ? 2700 + i : 3950) "\"")
        device()
        if (i < lines / 2) line(0)
        print "</protection_domain>"
    }
    begin("last", "last", "other", "priority=\"1\" budget=\"10000000\"")
    for (id = 0; id < lines / 2; id++) line(id < 30 ? id : id + 1)
    print "</protection_domain>"
    print "<channel><end pd=\"last\" id=\"30\" pp=\"true\"/><end pd=\"uart\" id=\"0\"/></channel>\n</system>"
}
