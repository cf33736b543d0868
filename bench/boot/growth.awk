# Writes the description of a system of `count` protection domains. If `channels` is "all", domain i reaches j through
# channel j, or j - 1 if j follows i; otherwise only the printer has a channel. The first domain has a region of `pages`
# small pages, unless that is 0.

function id(own, other) { return other < own ? other : other - 1 }

function domain(i, name, image, priority, inside) {
    names[i] = name
    printf "<protection_domain name=\"%s\" priority=\"%d\">\n<program_image path=\"%s.elf\"/>\n%s</protection_domain>\n", name, priority, image, inside
}

BEGIN {
    uart = channels == "all" ? 30 : 1
    printer = count - 1
    region = "<map mr=\"count\" vaddr=\"0x3000000\" setvar_vaddr=\"count\"/>\n"
    print "<system>"
    print "<memory_region name=\"uart\" size=\"0x1000\" phys_addr=\"0x9000000\"/>"
    print "<memory_region name=\"count\" size=\"0x1000\"/>"
    if (pages) {
        printf "<memory_region name=\"pages\" size=\"0x%x\" page_size=\"0x1000\"/>\n", pages * 4096
        large = "<map mr=\"pages\" vaddr=\"0x10000000\"/>\n"
    }
    for (i = 0; i < count; i++) {
        if (i == 0) {
            domain(i, "first", "first", 254, region large "<counter/>\n")
        } else if (i == uart) {
            domain(i, "uart", "uart", 200, "<map mr=\"uart\" vaddr=\"0x2000000\" perms=\"rw\" cached=\"false\" setvar_vaddr=\"uart_base\"/>\n")
        } else if (i == printer) {
            domain(i, "printer", "printer", 1, region)
        } else {
            domain(i, "idle" i, "idle", 100, "")
        }
    }
    if (channels != "all") {
        print "<channel><end pd=\"printer\" id=\"30\" pp=\"true\"/><end pd=\"uart\" id=\"0\"/></channel>"
    }
    for (i = 0; channels == "all" && i < count; i++) {
        for (j = i + 1; j < count; j++) {
            calls = i == uart && j == printer ? " pp=\"true\"" : ""
            printf "<channel><end pd=\"%s\" id=\"%d\"/><end pd=\"%s\" id=\"%d\"%s/></channel>\n", names[i], id(i, j), names[j], id(j, i), calls
        }
    }
    print "</system>"
}
