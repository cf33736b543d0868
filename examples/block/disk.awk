# Writes a disk of 128 sectors, each of them 16 lines of 32 bytes.
BEGIN {
    for (sector = 0; sector < 128; sector++) {
        for (line = 0; line < 16; line++) {
            printf "sector %04d, line %02d of my disk\n", sector, line
        }
    }
}
