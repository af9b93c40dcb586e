/* SPDX-License-Identifier: ISC */
/* Includes the headers of this folder, of C and of POSIX that most other files need. */
#pragma once

#include "base/clock.h"
#include "base/list.h"
#include "base/log.h"
#include "base/map.h"
#include "base/str.h"
#include "base/utf8.h"
#include "base/xalloc.h"
