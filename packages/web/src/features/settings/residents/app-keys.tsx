import { useState } from 'react'
import { Button } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { IconPlus } from '../../../icons/index.ts'
import type { ResidentAppKey } from '@caretaker/contract/residents.ts'
import { createResidentAppKey, revokeResidentAppKey } from '@caretaker/contract/calls/residents.ts'
import { useActor } from '../../../api/actor.ts'
import { call } from '../../../api/call.ts'
import { textsOf } from '../../../api/errors.ts'
import { dateText } from '../../../ui/age.ts'
import { Age } from '../../../ui/age-view.tsx'
import { Card } from '../../../ui/card.tsx'
import { ConfirmDialog } from '../../../ui/dialog.tsx'
import { Failed, Loading } from '../../../ui/states.tsx'
import { useZone } from '../../../ui/zone.tsx'
import { SecretDialog } from '../../../ui/secret-dialog.tsx'
import { appKeysQuery } from './queries.ts'
import classes from './residents.module.css'

/** The confirmation to show: replacing all keys, or revoking one. */
type Asked = 'replace' | ResidentAppKey

/** The keys with which the resident app adds residents: create, replace and revoke. */
export function AppKeys() {
  const { tenant } = useActor()
  const zone = useZone()
  const queryClient = useQueryClient()
  const { data, isError, refetch } = useQuery(appKeysQuery(tenant))
  const [asked, setAsked] = useState<Asked>()
  const [made, setMade] = useState<string>()
  const [problem, setProblem] = useState<string>()
  const change = async (work: () => Promise<unknown>) => {
    await work()
    void queryClient.invalidateQueries({ queryKey: appKeysQuery(tenant).queryKey })
    return true as const
  }
  const make = (instead: boolean) =>
    change(async () => {
      const { key } = await call(createResidentAppKey, { params: { tenant }, body: { instead } })
      // The question is answered: the key is shown in a separate dialog.
      setAsked(undefined)
      setMade(key)
    })
  const revoke = ({ id }: ResidentAppKey) => change(() => call(revokeResidentAppKey, { params: { tenant, keyId: id } }))
  const add = () => {
    setProblem(undefined)
    make(false).catch((error: unknown) => setProblem(textsOf(error)[0]))
  }
  return (
    <Card
      title="Key of the resident app"
      className={classes.contacts}
      actions={
        <Button
          variant="default"
          size="compact-sm"
          leftSection={<IconPlus size={16} aria-hidden />}
          disabled={!data}
          onClick={data?.length ? () => setAsked('replace') : add}
        >
          {data?.length ? 'Replace key' : 'Add key'}
        </Button>
      }
    >
      {!data && (isError ? <Failed onRetry={() => void refetch()} /> : <Loading />)}
      {data?.length === 0 && (
        <p className={classes.dimmed}>None: until you add a key, no more residents can sign up in the resident app.</p>
      )}
      <ul className={classes.keys}>
        {data?.map((key) => (
          <li key={key.id}>
            <span>
              Made {dateText(key.createdAt, zone)},{' '}
              <span className={classes.dimmed}>last used {key.lastUsedAt ? <Age at={key.lastUsedAt} /> : 'never'}</span>
            </span>
            <Button
              variant="default"
              size="compact-sm"
              aria-label={`Revoke the key made ${dateText(key.createdAt, zone)}`}
              onClick={() => setAsked(key)}
            >
              Revoke
            </Button>
          </li>
        ))}
      </ul>
      {problem && <p role="alert">{problem}</p>}
      {asked && (
        <ConfirmDialog
          title={asked === 'replace' ? 'Replace the key of the resident app' : 'Revoke the key of the resident app'}
          verb={asked === 'replace' ? 'Replace' : 'Revoke'}
          danger
          onConfirm={() => (asked === 'replace' ? make(true) : revoke(asked)).catch(textsOf)}
          onClose={() => setAsked(undefined)}
        >
          <p>
            {asked === 'replace'
              ? 'The resident app is rejected until it has the new key.'
              : 'The resident app is rejected immediately if it uses this key. This cannot be undone.'}
          </p>
        </ConfirmDialog>
      )}
      {made && (
        <SecretDialog
          title="Key of the resident app"
          secret={made}
          hint="The app sends the key with each call in the Authorization: Bearer header, never in a web address."
          onClose={() => setMade(undefined)}
        />
      )}
    </Card>
  )
}
