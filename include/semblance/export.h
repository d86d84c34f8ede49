/* Symbol visibility and compiler hints used by every public header. */
#ifndef SEMBLANCE_EXPORT_H
#define SEMBLANCE_EXPORT_H

#if defined(__GNUC__)
#define SBL_API __attribute__((visibility("default")))
#define SBL_MUST_USE __attribute__((warn_unused_result))
#define SBL_PRINTF(format_index, first_argument) \
    __attribute__((format(printf, format_index, first_argument)))
#else
#define SBL_API
#define SBL_MUST_USE
#define SBL_PRINTF(format_index, first_argument)
#endif

#endif
