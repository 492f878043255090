import type { ReactNode } from 'react'
import { useMemo } from 'react'
import { useQuery } from '@tanstack/react-query'
import { Autocomplete, Button, Loader, TextInput } from '@mantine/core'
import { IconAlertCircle } from '@tabler/icons-react'
import type { Device } from '@caretaker/contract/devices.ts'
import { updateEmeredLuminaire } from '@caretaker/contract/equipment.ts'
import { getEquipmentLists } from '@caretaker/contract/products.ts'
import { batteryTypes } from '@caretaker/rules/lighting/equipment.ts'
import type { LuminaireField, LuminaireTexts } from '@caretaker/rules/lighting/luminaire.ts'
import {
  luminaireChanges,
  luminaireFaults,
  luminaireFields,
  luminaireLabels,
  luminaireOf,
  luminaireText,
} from '@caretaker/rules/lighting/luminaire.ts'
import { useDeviceEdit } from '../../device-page/use-device-edit.ts'
import { useActor } from '../../api/actor.ts'
import { call } from '../../api/call.ts'
import { closesItsList } from '../../ui/forms/inline-edit.tsx'
import { SelectField, TextField, textOf, useField } from '../../ui/forms/fields.tsx'
import type { Form } from '../../ui/forms/use-form.ts'
import { useSubmission, useValidForm } from '../../ui/forms/use-form.ts'
import { z } from '../../ui/zod.ts'
import classes from './lighting.module.css'

type Values = LuminaireTexts & Record<string, string>

/** The rule of the six fields as the form library takes it; the server asks the same. */
const LuminaireSchema = z
  .object(Object.fromEntries(luminaireFields.map((field) => [field, z.string()])))
  .superRefine((texts, context) => {
    for (const [field, message] of Object.entries(luminaireFaults(texts as LuminaireTexts)))
      context.addIssue({ code: 'custom', path: [field], message })
  }) as unknown as z.ZodType<Values, Values>

interface LuminaireFormProps {
  device: Pick<Device, 'deviceId'>
  stored: LuminaireTexts
  onClose: () => void
  onSaved: () => void
}

/** The six fields on the label of a light's box, which open together: one label, one form. */
export function LuminaireForm({ device, stored, onClose, onSaved }: LuminaireFormProps) {
  const { tenant } = useActor()
  const save = useDeviceEdit(device)
  const { data: lists } = useQuery({
    queryKey: [tenant, 'equipment lists'],
    queryFn: ({ signal }) => call(getEquipmentLists, { body: { tenant } }, { signal }),
  })
  const form = useValidForm<Values, Values>({ schema: LuminaireSchema, defaultValues: { ...stored } })
  const submission = useSubmission(
    form,
    (texts) => {
      const body = { tenant, deviceId: device.deviceId, ...luminaireOf(texts) }
      const sent = call(updateEmeredLuminaire, { body })
      return [sent.then(() => save(sent))]
    },
    onSaved,
  )
  const typed = form.watch()
  const changes = luminaireChanges(stored, typed)
  const sending = submission.status === 'loading'
  const was = (field: LuminaireField, unit = '') =>
    stored[field] !== '' && changes.includes(field) ? `Was ${stored[field]}${unit}` : undefined
  const choices = (field: 'lampType' | 'inverterType', offered: string[] = []) =>
    [...new Set([stored[field], ...offered])].filter(Boolean).map((value) => ({ value, label: value }))
  return (
    <form
      className={classes.luminaire}
      aria-label="Luminaire"
      noValidate
      onSubmit={(event) => void submission.onSubmit(event)}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || sending || closesItsList(event)) return
        event.stopPropagation()
        onClose()
      }}
    >
      <div className={classes.fields}>
        <Field was={was('name')}>
          <TextField
            form={form}
            name="name"
            label={luminaireLabels.name}
            maxLength={luminaireText}
            disabled={sending}
            first
          />
        </Field>
        <Field was={was('lampType')}>
          <SelectField
            form={form}
            name="lampType"
            label={luminaireLabels.lampType}
            data={choices('lampType', lists?.lampTypes)}
            disabled={sending}
          />
        </Field>
        <Field was={was('inverterType')}>
          <SelectField
            form={form}
            name="inverterType"
            label={luminaireLabels.inverterType}
            data={choices('inverterType', lists?.inverterTypes)}
            disabled={sending}
          />
        </Field>
        <Field was={was('batteryType')}>
          <BatteryTypeField form={form} disabled={sending} />
        </Field>
        <Field was={was('batteryVoltage', ' V')}>
          <MeasuredField form={form} name="batteryVoltage" unit="V" disabled={sending} />
        </Field>
        <Field was={was('batteryCapacity', ' Ah')}>
          <MeasuredField form={form} name="batteryCapacity" unit="Ah" disabled={sending} />
        </Field>
      </div>
      {submission.problems.map((problem) => (
        <p key={problem} className={classes.problem} role="alert">
          <IconAlertCircle size={16} aria-hidden />
          {problem}
        </p>
      ))}
      <div className={classes.foot}>
        <p aria-live="polite">
          {changes.length === 0 ? (
            'Nothing is changed yet.'
          ) : (
            <>
              <b>
                Changes {changes.length} of {luminaireFields.length}:
              </b>{' '}
              {changes.map((field) => luminaireLabels[field].toLowerCase()).join(', ')}. Results of earlier tests stay
              as they are.
            </>
          )}
        </p>
        <Button
          type="submit"
          disabled={changes.length === 0 || !form.formState.isValid || sending}
          leftSection={sending ? <Loader size={14} color="gray" /> : undefined}
        >
          {sending ? 'Sending ...' : 'Save'}
        </Button>
        <Button variant="default" onClick={onClose} disabled={sending}>
          Cancel
        </Button>
      </div>
    </form>
  )
}

/** A field with what it was below it, once it is changed. */
function Field({ was, children }: { was: string | undefined; children: ReactNode }) {
  return (
    <div>
      {children}
      {was && <p className={classes.was}>{was}</p>}
    </div>
  )
}

interface FieldProps {
  form: Form<Values, Values>
  disabled: boolean
}

function BatteryTypeField({ form, disabled }: FieldProps) {
  const { inputRef, value, change, leave, error } = useField({ form, name: 'batteryType' })
  const data = useMemo(() => [...batteryTypes], [])
  return (
    <Autocomplete
      ref={inputRef}
      label={luminaireLabels.batteryType}
      disabled={disabled}
      data={data}
      comboboxProps={{ withinPortal: true }}
      value={textOf(value)}
      onChange={change}
      onBlur={leave}
      error={error}
    />
  )
}

function MeasuredField({
  form,
  name,
  unit,
  ...shown
}: FieldProps & { name: 'batteryVoltage' | 'batteryCapacity'; unit: string }) {
  const { inputRef, value, change, leave, error } = useField({ form, name })
  return (
    <TextInput
      {...shown}
      ref={inputRef}
      label={luminaireLabels[name]}
      inputMode="decimal"
      autoComplete="off"
      rightSection={<span className={classes.unit}>{unit}</span>}
      value={textOf(value)}
      onChange={(event) => change(event.currentTarget.value)}
      onBlur={leave}
      error={error}
    />
  )
}
