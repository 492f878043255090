import { useState } from 'react'
import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { removeSsoConnection, testSsoConnection } from '@caretaker/contract/calls/single-sign-on.ts'
import type { SsoConnection } from '@caretaker/contract/single-sign-on.ts'
import { useActor } from '../../../api/actor.ts'
import { call } from '../../../api/call.ts'
import { showCallError, textsOf } from '../../../api/errors.ts'
import { ConfirmDialog } from '../../../ui/dialog.tsx'
import { InfoMessage } from '../../../ui/info-message.tsx'
import { DeleteButton } from '../delete-button.tsx'
import { EditButton } from '../edit-button.tsx'
import { CopyText } from './copy-text.tsx'
import { ssoQuery } from './sso-queries.ts'
import { SsoDialog } from './sso-dialog.tsx'
import { SsoDomains } from './sso-domains.tsx'
import classes from './sign-in.module.css'

/** The effects of a connection, in a sentence for each setting. */
const factsOf = ({ isRequired, checksSecondFactor, createsMembers }: SsoConnection) => [
  isRequired ? 'Users of its domains cannot use a password.' : 'Users of its domains can also use a password.',
  checksSecondFactor
    ? 'The provider checks a second factor.'
    : 'Caretaker asks for a second factor where the role needs one and the provider has not checked it.',
  createsMembers
    ? 'People in one of your groups become users at their first sign-in.'
    : 'Only existing users can sign in.',
]

/** A connection with its domains. */
export function SsoConnectionView({ connection }: { connection: SsoConnection }) {
  const [open, setOpen] = useState<'edit' | 'remove'>()
  const { id, name, issuer, clientId, redirectUri, backChannelUri } = connection
  return (
    <section className={classes.connection} aria-label={name}>
      <div className={classes.head}>
        <h3>{name}</h3>
        <TestButton id={id} name={name} />
        <EditButton name={name} onPress={() => setOpen('edit')} />
        <DeleteButton name={name} onPress={() => setOpen('remove')} />
      </div>
      <p className={classes.text}>
        {issuer}, client ID {clientId}. {factsOf(connection).join(' ')}
      </p>
      <CopyText label="Redirect URI, to be registered at the provider" text={redirectUri} />
      <CopyText label="Back-channel logout URI" text={backChannelUri} />
      <SsoDomains connection={connection} />
      {open === 'edit' && <SsoDialog connection={connection} onClose={() => setOpen(undefined)} />}
      {open === 'remove' && <RemoveDialog connection={connection} onClose={() => setOpen(undefined)} />}
    </section>
  )
}

function TestButton({ id, name }: { id: string; name: string }) {
  const { tenant } = useActor()
  const [result, setResult] = useState<{ fault: string | null; text: string }>()
  const [busy, setBusy] = useState(false)
  const test = async () => {
    setBusy(true)
    try {
      const found = await call(testSsoConnection, { params: { tenant, connectionId: id } })
      const signOut = found.hasSignOut ? 'supports sign-out' : 'does not support sign-out'
      const backChannel = found.hasBackChannel ? 'sends logout tokens' : 'does not state that it sends logout tokens'
      const text = found.fault ?? `The provider can be reached. It ${signOut} and ${backChannel}.`
      setResult({ fault: found.fault, text })
    } catch (error) {
      showCallError(error)
    }
    setBusy(false)
  }
  return (
    <>
      <Button
        variant="default"
        size="compact-sm"
        loading={busy}
        aria-label={`Test: ${name}`}
        onClick={() => void test()}
      >
        Test
      </Button>
      {result && (
        <div className={classes.result}>
          <InfoMessage type={result.fault === null ? 'success' : 'error'}>
            {result.fault === null ? result.text : `The provider cannot be used. ${result.text}`}
          </InfoMessage>
        </div>
      )}
    </>
  )
}

function RemoveDialog({ connection, onClose }: { connection: SsoConnection; onClose: () => void }) {
  const { tenant } = useActor()
  const queryClient = useQueryClient()
  const remove = async () => {
    await call(removeSsoConnection, { params: { tenant, connectionId: connection.id } })
    await queryClient.invalidateQueries({ queryKey: ssoQuery(tenant).queryKey })
    return true as const
  }
  return (
    <ConfirmDialog
      title={`Remove connection ${connection.name}`}
      verb="Remove"
      danger
      onConfirm={() => remove().catch(textsOf)}
      onClose={onClose}
    >
      <p>
        People who signed in with it are signed out. They can choose a password with ‘Forgot password’ on the sign-in
        page. Users are kept.
      </p>
    </ConfirmDialog>
  )
}
