import { Checkbox } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import type { WebhookEndpoint } from '@caretaker/contract/webhooks.ts'
import { EndpointSettings } from '@caretaker/contract/webhooks.ts'
import { addWebhook, updateWebhook } from '@caretaker/contract/calls/webhooks.ts'
import { eventTexts, webhookEvents } from '@caretaker/rules/webhooks/webhooks.ts'
import { useActor } from '../../../api/actor.ts'
import { call } from '../../../api/call.ts'
import { TextField, useField } from '../../../ui/forms/fields.tsx'
import { FormDialog } from '../../../ui/forms/form-dialog.tsx'
import type { Form } from '../../../ui/forms/use-form.ts'
import { useSubmission, useValidForm } from '../../../ui/forms/use-form.ts'
import type { z } from '../../../ui/zod.ts'
import { webhooksQuery } from './queries.ts'
import classes from '../integrations.module.css'

type Settings = z.output<typeof EndpointSettings>
type SettingsForm = Form<z.input<typeof EndpointSettings>, Settings>
const required = { name: true, url: 'Address is required!' } as const

interface WebhookDialogProps {
  /** The edited endpoint; undefined for a new one. */
  endpoint?: WebhookEndpoint
  /** Called with the secret of a new endpoint. */
  onSaved: (secret?: string) => void
  onClose: () => void
}

export function WebhookDialog({ endpoint, onSaved, onClose }: WebhookDialogProps) {
  const { tenant } = useActor()
  const queryClient = useQueryClient()
  const form: SettingsForm = useValidForm({
    schema: EndpointSettings,
    required,
    defaultValues: {
      ...{ name: endpoint?.name ?? '', url: endpoint?.url ?? '' },
      events: endpoint?.events ?? [...webhookEvents],
    },
    // A URL may contain a secret of the receiver, so the draft is private.
    draft: { name: `webhook ${endpoint?.id ?? 'new'}`, isPersonal: true },
  })
  const save = async (body: Settings) => {
    const secret = endpoint
      ? await change(endpoint, body)
      : (await call(addWebhook, { params: { tenant }, body })).secret
    await queryClient.invalidateQueries({ queryKey: webhooksQuery(tenant).queryKey })
    onSaved(secret)
  }
  const change = async ({ id, disabled }: WebhookEndpoint, settings: Settings) => {
    await call(updateWebhook, { params: { tenant, endpointId: id }, body: { ...settings, enabled: !disabled } })
    return undefined
  }
  const submission = useSubmission(
    form,
    (values) => [save(values)],
    () => {},
  )
  return (
    <FormDialog
      title={endpoint ? `Edit webhook ${endpoint.name}` : 'Add webhook'}
      verb={endpoint ? 'Save' : 'Add'}
      wide
      form={form}
      submission={submission}
      onClose={onClose}
      ready={!endpoint || form.formState.isDirty}
    >
      <TextField form={form} name="name" label="Name" required first maxLength={60} />
      <TextField
        form={form}
        name="url"
        label="Address"
        required
        maxLength={2000}
        description="Must begin with https:// and be reachable from the internet."
      />
      <Events form={form} />
    </FormDialog>
  )
}

function Events({ form }: { form: SettingsForm }) {
  const { value, change, error } = useField({ form, name: 'events' })
  return (
    <Checkbox.Group label="Events" value={value as string[]} onChange={change} error={error}>
      <div className={classes.events}>
        {webhookEvents.map((event) => (
          <Checkbox key={event} value={event} label={eventTexts[event]} />
        ))}
      </div>
    </Checkbox.Group>
  )
}
