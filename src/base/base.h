/* SPDX-License-Identifier: ISC */
/* The headers of this folder, of C and of POSIX that nearly every file outside needs. */
#pragma once

#include "base/clock.h"
#include "base/list.h"
#include "base/log.h"
#include "base/map.h"
#include "base/str.h"
#include "base/utf8.h"
#include "base/xalloc.h"
