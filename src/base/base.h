/* SPDX-License-Identifier: ISC */
/* What nearly every file outside of this folder needs of it, and of C and POSIX. */
#pragma once

#include "base/alloc.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/list.h"
#include "base/log.h"
#include "base/map.h"
#include "base/std.h"
#include "base/str.h"
#include "base/utf8.h"
#include "base/xalloc.h"
