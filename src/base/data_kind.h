/* What kind of data it is: a field of plans, certificates and models. */
#ifndef SBL_BASE_DATA_KIND_H
#define SBL_BASE_DATA_KIND_H

typedef enum sbl_data_kind { SBL_DATA_TABLE = 0, SBL_DATA_IMAGES } sbl_data_kind;

/* As it stands in files. */
static inline const char *sbl_data_kind_name(sbl_data_kind kind)
{
    return kind == SBL_DATA_IMAGES ? "images" : "table";
}

#endif
