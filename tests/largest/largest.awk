# Writes the description. Protection domain i knows j under channel j, or j - 1 for those after itself.

function id(own, other) { return other < own ? other : other - 1 }

BEGIN {
    count = 63; uart = 30; tester = 62
    print "<system>"
    print "<memory_region name=\"uart\" size=\"0x1000\" phys_addr=\"0x9000000\"/>"
    for (i = 0; i < count; i++) {
        name = i == uart ? "uart" : i == tester ? "tester" : "worker" i
        image = i == uart || i == tester ? name : "worker"
        priority = i == uart ? 254 : i == tester ? 1 : 10 + i
        printf "<protection_domain name=\"%s\" priority=\"%d\">\n<program_image path=\"%s.elf\"/>\n", name, priority, image
        if (i == uart) {
            print "<map mr=\"uart\" vaddr=\"0x2000000\" perms=\"rw\" cached=\"false\" setvar_vaddr=\"uart_base\"/>"
        }
        print "</protection_domain>"
        names[i] = name
    }
    for (i = 0; i < count; i++) {
        for (j = i + 1; j < count; j++) {
            calls = i == uart && j == tester ? " pp=\"true\"" : ""
            printf "<channel><end pd=\"%s\" id=\"%d\"/><end pd=\"%s\" id=\"%d\"%s/></channel>\n", names[i], id(i, j), names[j], id(j, i), calls
        }
    }
    print "</system>"
}
