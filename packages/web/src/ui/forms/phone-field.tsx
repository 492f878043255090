import { useEffect, useId, useState } from 'react'
import { Input, Select, TextInput } from '@mantine/core'
import type { FieldValues } from 'react-hook-form'
import type { FieldProps } from './fields.tsx'
import { textOf, useField } from './fields.tsx'
import { defaultCountry, splitPhone, typedDigits } from './phone-number.ts'
import classes from './phone-field.module.css'
import { containsAll } from '@caretaker/rules/texts/search-form.ts'

type Library = typeof import('./phone-library.ts')

const load = () => import('./phone-library.ts')

/** Whether a text is a phone number with a dial code, for a form schema; `required` handles empty ones. */
export async function isPhone(value: string): Promise<boolean> {
  return value === '' || (await load()).isPhoneNumber(value)
}

/**
 * A phone number as one field: the dial code of a country, and digits. The value is the full number, '+447911123456'.
 */
export function PhoneField<I extends FieldValues, O>(props: FieldProps<I, O>) {
  const { form, name, label, description, required = false, disabled = false } = props
  const { inputRef, value, change, leave, error } = useField({ form, name })
  const [library, setLibrary] = useState<Library>()
  const [entered, setEntered] = useState<{ country: string; digits: string }>()
  const ids = { input: useId(), error: useId() }
  useEffect(() => void load().then(setLibrary), [])
  const list = library?.dialCodes() ?? [{ country: defaultCountry, name: 'United Kingdom', code: '44', priority: 0 }]
  const split = splitPhone(textOf(value), list)
  const { country, digits } = entered ?? { country: split?.dial.country ?? defaultCountry, digits: split?.rest ?? '' }
  const enter = (next: { country: string; digits: string }) => {
    setEntered(next)
    if (library) change(library.phoneNumberOf(next.digits, next.country))
  }
  const nameOf = (one: string) => list.find((dial) => dial.country === one)?.name ?? one
  return (
    <Input.Wrapper
      label={label}
      labelProps={{ htmlFor: ids.input }}
      description={description}
      withAsterisk={required}
      error={error}
      errorProps={{ id: ids.error }}
    >
      <div className={classes.phone} data-error={error ? true : undefined}>
        <Select
          aria-label="Country"
          title={nameOf(country)}
          className={classes.country}
          variant="unstyled"
          data={list.map((one) => ({ value: one.country, label: `+${one.code}` }))}
          renderOption={({ option }) => (
            <span className={classes.option}>
              {nameOf(option.value)} <span>{option.label}</span>
            </span>
          )}
          filter={({ options, search }) =>
            options.filter(
              (option) => 'value' in option && containsAll(`${nameOf(option.value)} ${option.label}`, search),
            )
          }
          comboboxProps={{ width: 300, position: 'bottom-start' }}
          maxDropdownHeight={200}
          value={country}
          onChange={(chosen) => enter({ country: chosen ?? defaultCountry, digits })}
          disabled={disabled}
          searchable
          allowDeselect={false}
        />
        <TextInput
          id={ids.input}
          ref={inputRef}
          className={classes.number}
          variant="unstyled"
          type="tel"
          inputMode="numeric"
          autoComplete="tel-national"
          aria-required={required}
          aria-invalid={error !== undefined}
          aria-describedby={error ? ids.error : undefined}
          disabled={disabled}
          value={digits}
          onChange={(event) => enter({ country, digits: typedDigits(event.currentTarget.value) })}
          onBlur={leave}
        />
      </div>
    </Input.Wrapper>
  )
}
