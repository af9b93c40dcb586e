/* SPDX-License-Identifier: ISC */
/* Converts numbers, which the reader keeps as text, to exact integers or doubles. */
#include "wire/json.h"

#include <math.h>

#define EXPONENT_MAX 10000 /* a larger exponent is too large for any number, or not an integer */

/* A number in parts: digits without zeros at both ends, times ten to the exponent. */
struct decimal {
	bool is_negative;
	char digits[JSON_NUMBER_MAX + 1];
	size_t len;
	int64_t exponent;
};

static void read_decimal(const char *text, struct decimal *ret)
{
	bool is_fraction = false, is_small;
	int64_t exponent = 0;
	*ret = (struct decimal){.is_negative = *text == '-'};
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
	is_small = *++text == '-';
	for (text += *text == '-' || *text == '+'; *text; text++)
		if (exponent < EXPONENT_MAX)
			exponent = exponent * 10 + (*text - '0');
	ret->exponent += is_small ? -exponent : exponent;
}

bool json_int(const struct json *value, int64_t *ret_number)
{
	static const uint64_t max = (uint64_t)JSON_INT_MAX;
	uint64_t number = 0;
	struct decimal decimal;
	if (value == NULL || value->type != JSON_NUMBER)
		return false;
	read_decimal(value->text, &decimal);
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

bool json_is_integer(const struct json *value)
{
	struct decimal decimal;
	if (value == NULL || value->type != JSON_NUMBER)
		return false;
	read_decimal(value->text, &decimal);
	return decimal.len == 0 || decimal.exponent >= 0;
}

bool json_double(const struct json *value, double *ret_number)
{
	double number;
	if (value == NULL || value->type != JSON_NUMBER)
		return false;
	number = strtod(value->text, NULL); /* our programs do not set LC_NUMERIC */
	if (!isfinite(number))
		return false;
	*ret_number = number;
	return true;
}

int64_t json_get_int(const struct json *object, const char *name, int64_t other)
{
	int64_t number;
	return json_int(json_member(object, name), &number) ? number : other;
}

double json_get_double(const struct json *object, const char *name)
{
	double number;
	return json_double(json_member(object, name), &number) ? number : 0;
}
