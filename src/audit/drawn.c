/* Single records of one's own: copied, or drawn evenly from all there are. A part that the data does
 * not have is NULL and passed over. */
#include "audit/drawn.h"

#include <string.h>

void sbl_drawn_copy(sbl_drawn *drawn, size_t to, const sbl_records *records, size_t from,
                    const sbl_facts *facts)
{
    const size_t d = facts->kind == SBL_DATA_TABLE ? facts->heads.numeric_count : 0;
    const size_t k = facts->kind == SBL_DATA_TABLE ? facts->heads.categorical_count : 0;
    const size_t size = facts->shape.numeric;
    if (d != 0) memcpy(drawn->numeric + to * d, records->numeric + from * d, d * sizeof(double));
    if (k != 0) memcpy(drawn->codes + to * k, records->codes + from * k, k * sizeof(uint32_t));
    if (drawn->pixels != NULL)
        memcpy(drawn->pixels + to * size, records->pixels + from * size, size);
    if (drawn->labels != NULL) drawn->labels[to] = records->labels[from];
    if (drawn->units != NULL) drawn->units[to] = records->units[from];
    for (size_t i = 0; drawn->misfits != NULL && i < facts->columns; i++)
        drawn->misfits[to * facts->columns + i] =
            records->misfits != NULL ? records->misfits[from * facts->columns + i] : 0;
}

void sbl_drawn_set_label(sbl_drawn *drawn, size_t row, const sbl_facts *facts, uint32_t label)
{
    if (drawn->labels == NULL) return;
    drawn->labels[row] = label;
    if (facts->kind == SBL_DATA_TABLE)
        drawn->codes[row * facts->heads.categorical_count + facts->label_column] = label;
}

void sbl_drawn_random(sbl_drawn *drawn, size_t row, const sbl_facts *facts, sbl_model_rng *rng)
{
    const sbl_heads *heads = &facts->heads;
    for (size_t i = 0; drawn->pixels != NULL && i < facts->shape.numeric; i++)
        drawn->pixels[row * facts->shape.numeric + i] = (uint8_t)sbl_model_rng_below(rng, 256);
    for (size_t h = 0; h < heads->count; h++) {
        const sbl_head *head = &heads->items[h];
        if (head->kind == SBL_HEAD_NUMERIC)
            drawn->numeric[row * heads->numeric_count + head->index] = sbl_model_rng_uniform(rng);
        else
            drawn->codes[row * heads->categorical_count + head->index] =
                (uint32_t)sbl_model_rng_below(rng, head->cardinality);
    }
    for (size_t i = 0; drawn->misfits != NULL && i < facts->columns; i++)
        drawn->misfits[row * facts->columns + i] = (uint8_t)sbl_model_rng_below(rng, 2);
    sbl_drawn_set_label(drawn, row, facts, (uint32_t)sbl_model_rng_below(rng, facts->classes));
}
