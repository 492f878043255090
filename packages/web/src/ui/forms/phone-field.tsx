import { useEffect, useState } from 'react'
import { Select, TextInput } from '@mantine/core'
import type { FieldValues } from 'react-hook-form'
import type { FieldProps } from './fields.tsx'
import { textOf, useField } from './fields.tsx'
import { defaultCountry, splitPhone, typedDigits } from './phone-number.ts'
import classes from './phone-field.module.css'

type Library = typeof import('./phone-library.ts')

const load = () => import('./phone-library.ts')

/** Whether a text is a phone number with a dial code, as a rule of a form's schema; an empty one is for `required` to judge. */
export async function isPhone(value: string): Promise<boolean> {
  return value === '' || (await load()).isPhoneNumber(value)
}

/** Phone entry: the dial code of a country, and digits. The value is the number in full, '+447911123456'. */
export function PhoneField<I extends FieldValues, O>({ form, name, label, required, ...shown }: FieldProps<I, O>) {
  const { inputRef, value, change, leave, error } = useField({ form, name })
  const [library, setLibrary] = useState<Library>()
  const [entered, setEntered] = useState<{ country: string; digits: string }>()
  useEffect(() => void load().then(setLibrary), [])
  const list = library?.dialCodes() ?? []
  const split = splitPhone(textOf(value), list)
  const { country, digits } = entered ?? { country: split?.dial.country ?? defaultCountry, digits: split?.rest ?? '' }
  const enter = (next: { country: string; digits: string }) => {
    setEntered(next)
    if (library) change(library.phoneNumberOf(next.digits, next.country))
  }
  const choices = list.map((one) => ({ value: one.country, label: `${one.name} +${one.code}` }))
  return (
    <div className={classes.phone}>
      <Select
        label="Country"
        data={library ? choices : [{ value: defaultCountry, label: 'United Kingdom +44' }]}
        value={country}
        onChange={(chosen) => enter({ country: chosen ?? defaultCountry, digits })}
        disabled={shown.disabled ?? false}
        searchable
        allowDeselect={false}
      />
      <TextInput
        {...shown}
        ref={inputRef}
        label={label}
        type="tel"
        inputMode="numeric"
        autoComplete="tel-national"
        withAsterisk={required ?? false}
        aria-required={required}
        value={digits}
        onChange={(event) => enter({ country, digits: typedDigits(event.currentTarget.value) })}
        onBlur={leave}
        error={error}
      />
    </div>
  )
}
