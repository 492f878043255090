import { useState } from 'react'
import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import type { ResidentAppSettings } from '@caretaker/contract/residents.ts'
import { SupportEmail } from '@caretaker/contract/residents.ts'
import { setResidentAppSettings } from '@caretaker/contract/calls/residents.ts'
import { useActor } from '../../../api/actor.ts'
import { call } from '../../../api/call.ts'
import { DraftNote, Problems } from '../../../ui/dialog.tsx'
import { TextField } from '../../../ui/forms/fields.tsx'
import { PhoneField, isPhone } from '../../../ui/forms/phone-field.tsx'
import { discardDraft, useSubmission, useValidForm } from '../../../ui/forms/use-form.ts'
import { showSuccess } from '../../../ui/toasts.tsx'
import { z } from '../../../ui/zod.ts'
import { contactsQuery } from './queries.ts'
import classes from './residents.module.css'

const schema = z.object({
  residentAppContactEmail: SupportEmail,
  residentAppContactPhoneNumber: z.string().refine(isPhone, 'Phone number is not valid'),
})
const required = {
  residentAppContactEmail: 'Email is required',
  residentAppContactPhoneNumber: 'Phone number is required',
} as const

/** The contacts for residents. Only valid changes can be saved. */
export function ContactForm({
  stored,
  disabled,
}: {
  stored: ResidentAppSettings & { version: number }
  disabled: boolean
}) {
  const { tenant } = useActor()
  const queryClient = useQueryClient()
  // The version that the user started from.
  const [version, setVersion] = useState(stored.version)
  const form = useValidForm({ schema, required, defaultValues: stored, draft: { name: 'resident app' } })
  const save = async (body: ResidentAppSettings) => {
    const saved = await call(setResidentAppSettings, { params: { tenant }, body: { ...body, version } })
    setVersion(saved.version)
    queryClient.setQueryData(contactsQuery(tenant).queryKey, saved)
    form.reset(saved)
    showSuccess('Resident app settings saved successfully')
  }
  const { onSubmit, status, problems } = useSubmission(
    form,
    (values) => [save(values)],
    () => {},
  )
  const sending = status === 'loading'
  const { isValid, isDirty } = form.formState
  return (
    <form noValidate className={classes.form} onSubmit={(event) => void onSubmit(event)}>
      <TextField
        form={form}
        name="residentAppContactEmail"
        label="Support Email"
        type="email"
        maxLength={320}
        disabled={disabled}
      />
      <PhoneField form={form} name="residentAppContactPhoneNumber" label="Support Phone" disabled={disabled} />
      {!disabled && (
        <Button type="submit" disabled={!isValid || !isDirty} loading={sending}>
          Save
        </Button>
      )}
      {isDirty && <DraftNote onDiscard={() => discardDraft(form)} />}
      <Problems texts={problems} />
    </form>
  )
}
