/* The daemon's entry; all of it is in node. */
#include <cairn/node/node.h>

int main(int argc, char **argv)
{
	return node_main(argc, argv);
}
