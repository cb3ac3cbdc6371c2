# Swaps of any set of boxes, in every mode.
halocline_test_program(halocline_blocks_test blocks/blocks_test.cpp support/boxes.cpp)
halocline_mpi_test(NAME blocks TARGET halocline_blocks_test RANKS 2 MPI_RANKS 2 MEMORY_RANKS 2 LONG_RANKS 1 3 4)
halocline_mpi_test(NAME blocks TARGET halocline_blocks_test RANKS 3 LONG_RANKS 2 4 FAKE_NODES 2)
halocline_mpi_test(NAME blocks_checked TARGET halocline_blocks_test RANKS 2 ENV HALOCLINE_CHECK=1 ARGS
  --gtest_filter=Modes/Blocks.*/p2p:Modes/Blocks.*/direct:Modes/Blocks.*/fence)
# The oracle's random cases many times, and a model beside its serial run.
halocline_mpi_test(NAME blocks_many TARGET halocline_blocks_test LONG_RANKS 2 4 ENV HALOCLINE_STAGGERED_CASES=100 TIMEOUT 1200
  ARGS --gtest_filter=Modes/Blocks.have_fields*)
halocline_test_program(halocline_staggered_blocks blocks/staggered_blocks_test.cpp support/boxes.cpp)
halocline_mpi_test(NAME staggered_blocks TARGET halocline_staggered_blocks RANKS 2 MPI_RANKS 2 LONG_RANKS 1 3 4)
halocline_mpi_test(NAME staggered_blocks TARGET halocline_staggered_blocks LONG_RANKS 3 4 FAKE_NODES 2)
