/* contract_neighbor.h - contract.h for the collectives between neighbors; contract.c calls it. */
#ifndef TF_CONTRACT_NEIGHBOR_H
#define TF_CONTRACT_NEIGHBOR_H

#include "plan/contract.h"

int32_t tf_contract_neighbor_blocks(const struct tf_contract *call, int32_t rank, int buffer);
struct tf_content tf_contract_neighbor_before(int32_t rank, int buffer, int32_t block);
struct tf_content tf_contract_neighbor_after(const struct tf_contract *call, int32_t rank, int32_t block);
int32_t tf_contract_neighbor_size_of_content(const struct tf_contract *call, int32_t rank, int32_t block);
/* `parcels`: of the rank's plan, or NULL. */
int32_t tf_contract_neighbor_size_of_block(const struct tf_contract *call, const struct tf_parcel *parcels,
                                           int32_t rank, int buffer, int32_t block);

#endif
