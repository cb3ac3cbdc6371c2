// Starts ARMCI before the first test and ends it after the last, inside a program that has started MPI and also uses Halocline.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "armci_test.hpp"

namespace halocline::test {
namespace {

class OpenArmci : public testing::Environment {
 public:
  void SetUp() override {
    EXPECT_EQ(ARMCI_Initialized(), 0);
    ASSERT_EQ(ARMCI_Init(), 0);
    EXPECT_NE(ARMCI_Initialized(), 0);
  }
  void TearDown() override {
    EXPECT_EQ(ARMCI_Finalize(), 0);
    EXPECT_EQ(ARMCI_Initialized(), 0);
  }
};

[[maybe_unused]] const auto *const open_armci = testing::AddGlobalTestEnvironment(new OpenArmci);

/// GA starts ARMCI as often as it likes.
TEST(ArmciInit, may_be_called_again) {
  EXPECT_EQ(ARMCI_Init(), 0);
  EXPECT_NE(ARMCI_Initialized(), 0);
  EXPECT_EQ(ARMCI_Finalize(), 0);
  EXPECT_NE(ARMCI_Initialized(), 0) << "each ARMCI_Init needs an ARMCI_Finalize";
  EXPECT_EQ(armci_msg_me(), rank());
  EXPECT_EQ(armci_msg_nproc(), size());
}

}  // namespace
}  // namespace halocline::test
