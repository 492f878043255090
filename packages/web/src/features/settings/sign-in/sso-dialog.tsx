import { Checkbox } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { addSsoConnection, replaceSsoSecret, updateSsoConnection } from '@caretaker/contract/calls/single-sign-on.ts'
import type { SsoConnection } from '@caretaker/contract/single-sign-on.ts'
import { SsoSettings } from '@caretaker/contract/single-sign-on.ts'
import { defaultGroupClaim } from '@caretaker/rules/identity/single-sign-on.ts'
import { useActor } from '../../../api/actor.ts'
import { call } from '../../../api/call.ts'
import type { FieldProps } from '../../../ui/forms/fields.tsx'
import { TextField, useField } from '../../../ui/forms/fields.tsx'
import { FormDialog } from '../../../ui/forms/form-dialog.tsx'
import { useSubmission, useValidForm } from '../../../ui/forms/use-form.ts'
import { z } from '../../../ui/zod.ts'
import { ssoQuery } from './sso-queries.ts'

const Wanted = SsoSettings.extend({ clientSecret: z.string().trim().max(500) })
type Input = z.input<typeof Wanted>
type Output = z.output<typeof Wanted>

const settings = { name: true, issuer: 'Issuer is required!', clientId: 'Client ID is required!' } as const
const all = { ...settings, clientSecret: 'Secret is required!' } as const

const initial: Input = {
  ...{ name: '', issuer: '', clientId: '', clientSecret: '', groupClaim: defaultGroupClaim },
  ...{ isRequired: false, checksSecondFactor: false, createsMembers: false },
}

function valuesOf({
  name,
  issuer,
  clientId,
  groupClaim,
  isRequired,
  checksSecondFactor,
  createsMembers,
}: SsoConnection) {
  const texts = { name, issuer, clientId, groupClaim, clientSecret: '' }
  return { ...texts, isRequired, checksSecondFactor, createsMembers }
}

/** Adds or changes a connection. The secret is never shown, and is kept if none is entered. */
export function SsoDialog({ connection, onClose }: { connection?: SsoConnection; onClose: () => void }) {
  const { tenant } = useActor()
  const queryClient = useQueryClient()
  const form = useValidForm<Input, Output>({
    schema: Wanted,
    required: connection ? settings : all,
    defaultValues: connection ? valuesOf(connection) : initial,
  })
  const save = async ({ clientSecret, ...body }: Output) => {
    if (!connection) await call(addSsoConnection, { params: { tenant }, body: { ...body, clientSecret } })
    else {
      const params = { tenant, connectionId: connection.id }
      await call(updateSsoConnection, { params, body })
      if (clientSecret) await call(replaceSsoSecret, { params, body: { clientSecret } })
    }
    await queryClient.invalidateQueries({ queryKey: ssoQuery(tenant).queryKey })
  }
  const submission = useSubmission(form, (values) => [save(values)], onClose)
  return (
    <FormDialog
      title={connection ? `Edit connection ${connection.name}` : 'Add connection'}
      verb={connection ? 'Save' : 'Add'}
      wide
      form={form}
      submission={submission}
      onClose={onClose}
      ready={!connection || form.formState.isDirty}
    >
      <TextField
        form={form}
        name="name"
        label="Name"
        required
        first
        maxLength={60}
        description="Shown on the sign-in page."
      />
      <TextField
        form={form}
        name="issuer"
        label="Issuer"
        required
        description="Exactly as in the discovery document of the provider. Each provider needs its own connection."
      />
      <TextField
        form={form}
        name="clientId"
        label="Client ID"
        required
        {...(!connection && {
          description:
            'If the provider needs the redirect URI first, enter any ID and secret, and replace them when you have registered it.',
        })}
      />
      <TextField
        form={form}
        name="clientSecret"
        label={connection ? 'New client secret' : 'Client secret'}
        required={!connection}
        {...(connection && { description: 'Leave empty to keep the current one.' })}
      />
      {connection && (
        <CheckField
          form={form}
          name="isRequired"
          label="Users of its domains cannot use a password"
          description="Before you turn this on, sign in with the connection once. Open sessions continue until they end."
        />
      )}
      <CheckField
        form={form}
        name="checksSecondFactor"
        label="The provider checks a second factor"
        description="This does not apply to other clients."
      />
      <CheckField
        form={form}
        name="createsMembers"
        label="Create users at their first sign-in"
        description="Their role comes from the groups that the provider sends."
      />
      <TextField form={form} name="groupClaim" label="Claim with the groups" required />
    </FormDialog>
  )
}

function CheckField({ form, name, label, description }: FieldProps<Input, Output>) {
  const { inputRef, value, change, leave, error } = useField({ form, name })
  return (
    <Checkbox
      ref={inputRef}
      label={label}
      description={description}
      checked={value === true}
      onChange={(event) => change(event.currentTarget.checked)}
      onBlur={leave}
      error={error}
    />
  )
}
