import type { ReactNode } from 'react'
import { MultiSelect, Select, TextInput } from '@mantine/core'
import type { FieldValues, Path } from 'react-hook-form'
import { useController } from 'react-hook-form'
import type { Form } from './use-form.ts'

export interface FieldProps<I extends FieldValues, O> {
  form: Form<I, O>
  name: Path<I>
  label: string
  description?: ReactNode
  required?: boolean
  disabled?: boolean
}

/** The state of a field: value, error, and validation on blur. */
export function useField<I extends FieldValues, O>({ form, name }: Pick<FieldProps<I, O>, 'form' | 'name'>) {
  const { field, fieldState } = useController({ control: form.control, name })
  return {
    inputRef: field.ref,
    value: field.value as unknown,
    change: field.onChange as (value: unknown) => void,
    leave: () => {
      field.onBlur()
      // The library would delay the first error even on blur.
      void form.trigger(name)
    },
    error: fieldState.error?.message,
  }
}

/** A value as the text of an input. */
export const textOf = (value: unknown) => (typeof value === 'string' ? value : '')

interface TextFieldProps<I extends FieldValues, O> extends FieldProps<I, O> {
  type?: 'text' | 'email'
  autoComplete?: string
  maxLength?: number
  /** Has the initial focus in its dialog. */
  first?: boolean
}

export function TextField<I extends FieldValues, O>(props: TextFieldProps<I, O>) {
  const { form, name, type = 'text', first, autoComplete = 'off', ...shown } = props
  const { inputRef, value, change, leave, error } = useField({ form, name })
  return (
    <TextInput
      {...shown}
      ref={inputRef}
      type={type}
      autoComplete={autoComplete}
      data-autofocus={first || undefined}
      withAsterisk={props.required ?? false}
      required={false}
      aria-required={props.required}
      value={textOf(value)}
      onChange={(event) => change(event.currentTarget.value)}
      onBlur={leave}
      error={error}
    />
  )
}

interface SelectFieldProps<I extends FieldValues, O> extends FieldProps<I, O> {
  data: { value: string; label: string }[]
  placeholder?: string
}

export function SelectField<I extends FieldValues, O>(props: SelectFieldProps<I, O>) {
  const { form, name, data, ...shown } = props
  const { inputRef, value, change, leave, error } = useField({ form, name })
  return (
    <Select
      {...shown}
      ref={inputRef}
      data={data}
      withAsterisk={props.required ?? false}
      required={false}
      aria-required={props.required}
      allowDeselect={false}
      searchable={data.length > 12}
      comboboxProps={{ withinPortal: true }}
      value={textOf(value) || null}
      onChange={(chosen) => change(chosen ?? '')}
      onBlur={leave}
      error={error}
    />
  )
}

interface ChoicesFieldProps<I extends FieldValues, O> extends SelectFieldProps<I, O> {
  /** The largest number of choices. */
  most?: number
}

/** A multiple choice from a list. */
export function ChoicesField<I extends FieldValues, O>(props: ChoicesFieldProps<I, O>) {
  const { form, name, data, placeholder, most, ...shown } = props
  const { inputRef, value, change, leave, error } = useField({ form, name })
  const chosen = Array.isArray(value) ? (value as string[]) : []
  return (
    <MultiSelect
      {...shown}
      ref={inputRef}
      data={data}
      required={false}
      maxValues={most ?? data.length}
      placeholder={chosen.length ? '' : (placeholder ?? '')}
      nothingFoundMessage="Nothing found"
      searchable
      clearable
      comboboxProps={{ withinPortal: true }}
      value={chosen}
      onChange={change}
      onBlur={leave}
      error={error}
    />
  )
}
