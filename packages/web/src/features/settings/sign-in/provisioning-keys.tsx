import { useState } from 'react'
import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { createProvisioningKey, revokeProvisioningKey } from '@caretaker/contract/calls/provisioning.ts'
import type { ProvisioningKey } from '@caretaker/contract/provisioning.ts'
import { mostProvisioningKeys } from '@caretaker/rules/provisioning/member.ts'
import { IconPlus } from '../../../icons/index.ts'
import { useActor } from '../../../api/actor.ts'
import { call } from '../../../api/call.ts'
import { textsOf } from '../../../api/errors.ts'
import { dateText } from '../../../ui/age.ts'
import { Age } from '../../../ui/age-view.tsx'
import { ConfirmDialog, Problems } from '../../../ui/dialog.tsx'
import { SecretDialog } from '../../../ui/secret-dialog.tsx'
import { useZone } from '../../../ui/zone.tsx'
import { provisioningQuery } from './queries.ts'
import classes from './sign-in.module.css'

/** The keys of the directory: a second one replaces the first without a gap. */
export function ProvisioningKeys({ keys }: { keys: readonly ProvisioningKey[] }) {
  const { tenant } = useActor()
  const zone = useZone()
  const queryClient = useQueryClient()
  const [made, setMade] = useState<string>()
  const [revoking, setRevoking] = useState<ProvisioningKey>()
  const [problems, setProblems] = useState<readonly string[]>([])
  const refresh = () => void queryClient.invalidateQueries({ queryKey: provisioningQuery(tenant).queryKey })
  const make = async () => {
    setProblems([])
    try {
      setMade((await call(createProvisioningKey, { params: { tenant } })).key)
      refresh()
    } catch (error) {
      setProblems(textsOf(error))
    }
  }
  const revoke = async ({ id }: ProvisioningKey) => {
    await call(revokeProvisioningKey, { params: { tenant, keyId: id } })
    refresh()
    return true as const
  }
  return (
    <section aria-label="Keys" className={classes.keys}>
      <h3 className={classes.heading}>Keys</h3>
      {keys.length === 0 && <p className={classes.hint}>No keys: the directory has no access until you add one.</p>}
      {keys.length > 0 && (
        <ul className={classes.rows}>
          {keys.map((key) => (
            <li key={key.id}>
              <span className={classes.group}>
                <span>
                  Created {dateText(key.createdAt, zone)} by {key.createdBy}
                </span>
                <span className={classes.hint}>
                  Last used: {key.lastUsedAt ? <Age at={key.lastUsedAt} /> : 'never'}
                </span>
              </span>
              <Button
                variant="default"
                size="compact-sm"
                aria-label={`Revoke the key created ${dateText(key.createdAt, zone)}`}
                onClick={() => setRevoking(key)}
              >
                Revoke
              </Button>
            </li>
          ))}
        </ul>
      )}
      {keys.length < mostProvisioningKeys ? (
        <Button
          className={classes.add}
          variant="default"
          size="compact-sm"
          leftSection={<IconPlus size={16} aria-hidden />}
          onClick={() => void make()}
        >
          Add key
        </Button>
      ) : (
        <p className={classes.hint}>To add another key, revoke the older one.</p>
      )}
      <Problems texts={[...problems]} />
      {made && (
        <SecretDialog
          title="Provisioning key"
          secret={made}
          hint="Enter the key in your directory as the secret token or bearer token, together with the address."
          onClose={() => setMade(undefined)}
        />
      )}
      {revoking && (
        <ConfirmDialog
          title="Revoke the provisioning key"
          verb="Revoke"
          danger
          onConfirm={() => revoke(revoking).catch(textsOf)}
          onClose={() => setRevoking(undefined)}
        >
          <p>A directory that uses this key is rejected immediately. This cannot be undone.</p>
        </ConfirmDialog>
      )}
    </section>
  )
}
