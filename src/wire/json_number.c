/* SPDX-License-Identifier: ISC */
/* Numbers, which the reader keeps as they were written: as integers, exactly, and as doubles. */
#include "wire/json.h"

#include <math.h>
#include <stdlib.h>

#include "base/str.h"

#define EXPONENT_MAX 10000 /* beyond it a number is too large or no whole one in any case */

/* A number taken apart: digits (without zeros at both ends) times ten to the exponent. */
struct decimal {
	bool is_negative;
	char digits[JSON_NUMBER_MAX + 1];
	size_t len;
	int64_t exponent;
};

/* Takes the text of a number apart, which the reader has found to be one. */
static void read_decimal(const char *text, struct decimal *ret)
{
	*ret = (struct decimal){.is_negative = *text == '-'};
	bool is_fraction = false;
	for (text += ret->is_negative; *text && *text != 'e' && *text != 'E'; text++) {
		if (*text == '.') {
			is_fraction = true;
			continue;
		}
		ret->exponent -= is_fraction;
		if (ret->len > 0 || *text != '0')
			ret->digits[ret->len++] = *text;
	}
	while (ret->len > 0 && ret->digits[ret->len - 1] == '0') {
		ret->len--;
		ret->exponent++;
	}
	if (!*text)
		return;
	bool is_small = *++text == '-';
	int64_t exponent = 0;
	for (text += *text == '-' || *text == '+'; *text; text++)
		if (exponent < EXPONENT_MAX)
			exponent = exponent * 10 + (*text - '0');
	ret->exponent += is_small ? -exponent : exponent;
}

bool json_int(const struct json *value, int64_t *ret_number)
{
	static const uint64_t max = (uint64_t)1 << 53;
	if (value->type != JSON_NUMBER)
		return false;
	struct decimal decimal;
	read_decimal(value->text, &decimal);
	uint64_t number = 0;
	if (decimal.len > 0) {
		if (decimal.exponent < 0 || decimal.exponent > 16)
			return false;
		if (!str_parse_u64(decimal.digits, decimal.len, &number))
			return false;
		for (; decimal.exponent > 0 && number <= max; decimal.exponent--)
			number *= 10;
	}
	if (number > max)
		return false;
	*ret_number = decimal.is_negative ? -(int64_t)number : (int64_t)number;
	return true;
}

bool json_double(const struct json *value, double *ret_number)
{
	if (value->type != JSON_NUMBER)
		return false;
	double number = strtod(value->text, NULL); /* no program of ours sets LC_NUMERIC */
	if (!isfinite(number))
		return false;
	*ret_number = number;
	return true;
}
