/* What the device tree says about the machine. */
#ifndef CROSSING_DEVICE_TREE_H
#define CROSSING_DEVICE_TREE_H

/* The name of the machine, or null if the firmware passed no tree or one without a name. */
const char *device_tree_model(void);

#endif /* CROSSING_DEVICE_TREE_H */
