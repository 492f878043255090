import { useState } from 'react'
import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { addSsoDomain, removeSsoDomain, verifySsoDomain } from '@caretaker/contract/calls/single-sign-on.ts'
import type { SsoConnection, SsoDomain } from '@caretaker/contract/single-sign-on.ts'
import { NewSsoDomain } from '@caretaker/contract/single-sign-on.ts'
import { useActor } from '../../../api/actor.ts'
import { call } from '../../../api/call.ts'
import { showCallError, textsOf } from '../../../api/errors.ts'
import { ConfirmDialog } from '../../../ui/dialog.tsx'
import { TextField } from '../../../ui/forms/fields.tsx'
import { FormDialog } from '../../../ui/forms/form-dialog.tsx'
import { useSubmission, useValidForm } from '../../../ui/forms/use-form.ts'
import { useZone } from '../../../ui/zone.tsx'
import { DeleteButton } from '../delete-button.tsx'
import { CopyText } from './copy-text.tsx'
import { faultText, stateText } from './sso-domain-texts.ts'
import { ssoQuery } from './sso-queries.ts'
import integrations from '../integrations.module.css'
import classes from './sign-in.module.css'

function useRefresh() {
  const { tenant } = useActor()
  const queryClient = useQueryClient()
  return () => queryClient.invalidateQueries({ queryKey: ssoQuery(tenant).queryKey })
}

/** The e-mail domains of a connection. */
export function SsoDomains({ connection }: { connection: SsoConnection }) {
  const [adding, setAdding] = useState(false)
  const [removing, setRemoving] = useState<string>()
  return (
    <>
      <ul className={classes.domains} aria-label={`Domains of ${connection.name}`}>
        {connection.domains.map((one) => (
          <Domain key={one.domain} id={connection.id} domain={one} onRemove={() => setRemoving(one.domain)} />
        ))}
      </ul>
      <div>
        <Button variant="default" size="compact-sm" onClick={() => setAdding(true)}>
          Add domain
        </Button>
      </div>
      {adding && <AddDialog id={connection.id} onClose={() => setAdding(false)} />}
      {removing && <RemoveDialog id={connection.id} domain={removing} onClose={() => setRemoving(undefined)} />}
    </>
  )
}

function Domain({ id, domain: one, onRemove }: { id: string; domain: SsoDomain; onRemove: () => void }) {
  const { tenant } = useActor()
  const zone = useZone()
  const refresh = useRefresh()
  const [busy, setBusy] = useState(false)
  const { domain, record, verifiedAt, missingSince } = one
  const fault = faultText(one, zone)
  const isFine = verifiedAt && !missingSince
  const verify = async () => {
    setBusy(true)
    await call(verifySsoDomain, { params: { tenant, connectionId: id, domain } }).catch(showCallError)
    await refresh()
    setBusy(false)
  }
  return (
    <li>
      <div className={classes.domain}>
        <b>{domain}</b>
        <span className={integrations.chip} data-group={isFine ? 'passed' : 'warning'} role="status">
          {stateText(one, zone)}
        </span>
        {!isFine && (
          <Button
            variant="default"
            size="compact-sm"
            loading={busy}
            aria-label={`Verify: ${domain}`}
            onClick={() => void verify()}
          >
            Verify
          </Button>
        )}
        <DeleteButton name={domain} onPress={onRemove} />
      </div>
      {fault && <p className={classes.text}>{fault}</p>}
      {!isFine && <CopyText label={`DNS TXT record at ${domain}`} text={record} />}
    </li>
  )
}

function AddDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const { tenant } = useActor()
  const refresh = useRefresh()
  const form = useValidForm({
    schema: NewSsoDomain,
    required: { domain: 'Domain is required!' },
    defaultValues: { domain: '' },
  })
  const add = async (body: { domain: string }) => {
    await call(addSsoDomain, { params: { tenant, connectionId: id }, body })
    await refresh()
  }
  const submission = useSubmission(form, (values) => [add(values)], onClose)
  return (
    <FormDialog title="Add domain" verb="Add" form={form} submission={submission} onClose={onClose}>
      <TextField
        form={form}
        name="domain"
        label="Domain"
        required
        first
        maxLength={253}
        description="The part of e-mail addresses after the @."
      />
    </FormDialog>
  )
}

function RemoveDialog({ id, domain, onClose }: { id: string; domain: string; onClose: () => void }) {
  const { tenant } = useActor()
  const refresh = useRefresh()
  const remove = async () => {
    await call(removeSsoDomain, { params: { tenant, connectionId: id, domain } })
    await refresh()
    return true as const
  }
  return (
    <ConfirmDialog
      title={`Remove domain ${domain}`}
      verb="Remove"
      danger
      onConfirm={() => remove().catch(textsOf)}
      onClose={onClose}
    >
      <p>
        Users of the domain sign in with a password again. Everyone who signed in with this connection is signed out.
      </p>
    </ConfirmDialog>
  )
}
