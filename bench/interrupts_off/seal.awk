# Writes the description of a system in which an interrupt seals as much as one can: four records of 1 KiB each.

function begin(name, priority) {
    printf "<protection_domain name=\"%s\" priority=\"%d\">\n<program_image path=\"%s.elf\"/>\n<counter/>\n", name, priority, name
    if (name != "uart") {
        print "<map mr=\"shared\" vaddr=\"0x3000000\" setvar_vaddr=\"shared_page\"/>"
        print "<map mr=\"device\" vaddr=\"0x2001000\" perms=\"rw\" cached=\"false\" setvar_vaddr=\"device_base\"/>"
    }
}

BEGIN {
    print "<system>"
    print "<memory_region name=\"uart\" size=\"0x1000\" phys_addr=\"0x9000000\"/>"
    print "<memory_region name=\"device\" size=\"0x1000\" phys_addr=\"0x9020000\"/>"
    print "<memory_region name=\"shared\" size=\"0x1000\"/>\n<memory_region name=\"key\" size=\"0x1000\"/>"
    print "<memory_region name=\"rings\" size=\"0x1000\"/>\n<memory_region name=\"buffers\" size=\"0x4000\"/>"
    print "<memory_region name=\"sealed\" size=\"0x8000\"/>"
    begin("uart", 254)
    print "<map mr=\"uart\" vaddr=\"0x2000000\" perms=\"rw\" cached=\"false\" setvar_vaddr=\"uart_base\"/>\n</protection_domain>"
    begin("seal_driver", 220)
    print "<irq irq=\"30\" id=\"0\"/>"
    print "<seal id=\"0\" key=\"key\" from=\"buffers\" to=\"sealed\" record=\"1024\" used=\"rings\" entries=\"16\" irq=\"0\" cipher=\"" cipher "\"/>"
    print "</protection_domain>"
    begin("sealer", 100)
    print "<probe/>\n<map mr=\"key\" vaddr=\"0x3010000\" setvar_vaddr=\"key\"/>"
    print "<map mr=\"rings\" vaddr=\"0x3020000\" setvar_vaddr=\"rings\"/>"
    print "<map mr=\"sealed\" vaddr=\"0x3030000\" perms=\"r\" setvar_vaddr=\"sealed\"/>\n</protection_domain>"
    print "<channel><end pd=\"sealer\" id=\"30\" pp=\"true\"/><end pd=\"uart\" id=\"0\"/></channel>\n</system>"
}
