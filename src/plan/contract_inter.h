/* contract_inter.h - contract.h for the collectives between the groups of an intercommunicator; contract.c calls it. */
#ifndef TF_CONTRACT_INTER_H
#define TF_CONTRACT_INTER_H

#include "plan/contract.h"

int32_t tf_contract_inter_blocks(const struct tf_contract *call, int32_t rank, int buffer, int32_t nblocks);
struct tf_content tf_contract_inter_before(const struct tf_contract *call, int32_t rank, int buffer, int32_t block);
struct tf_content tf_contract_inter_after(const struct tf_contract *call, int32_t rank, int32_t block);
int32_t tf_contract_inter_size_of_content(const struct tf_contract *call, int32_t rank, int32_t block);
int32_t tf_contract_inter_size_of_block(const struct tf_contract *call, int32_t rank, int buffer, int32_t block);

#endif
