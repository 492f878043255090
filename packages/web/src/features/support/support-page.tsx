import { ActionIcon } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { IconCopy, IconExternalLink, IconLifebuoy, IconMail, IconPhone, IconVideo } from '../../icons/index.ts'
import { usePresence } from '../../api/actor.ts'
import { usePageTitle } from '../../api/page-title.ts'
import { settingsQuery } from '../../api/settings.ts'
import { Card } from '../../ui/card.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { Failed, Loading, LoadingLines } from '../../ui/states.tsx'
import { SuccessMessage, useSuccessMessage } from '../../ui/success-message.tsx'
import type { BuildInfo } from '../../api/build.ts'
import { buildQuery } from '../../api/build.ts'
import classes from './support.module.css'

/** Contacts, videos and the build. */
export function SupportPage() {
  const { client } = usePresence()
  usePageTitle('Support', client.displayName)
  const { data, isError, refetch } = useQuery(settingsQuery)
  const build = useQuery(buildQuery)
  return (
    <div className={classes.page}>
      <PageHead title="Support" />
      <div className={classes.cards}>
        <Card title="Contact" icon={<IconLifebuoy stroke={1.7} aria-hidden />}>
          {data && <Contact {...data.support} />}
          {isError && !data && <Failed onRetry={() => void refetch()} />}
          {!data && !isError && <Waiting />}
        </Card>
        <Card title="Videos" icon={<IconVideo stroke={1.7} aria-hidden />}>
          {data ? <Videos address={data.support.videos} /> : !isError && <Waiting />}
        </Card>
      </div>
      <footer className={classes.build}>{build.data && <Build build={build.data} />}</footer>
    </div>
  )
}

function Waiting() {
  return (
    <Loading>
      <LoadingLines lines={2} />
    </Loading>
  )
}

function Contact({ email, phone }: { email: string; phone: string }) {
  return (
    <>
      <p className={classes.text}>Describe what you wanted to do, and on which page.</p>
      <dl className={classes.contacts}>
        <dt>
          <IconMail size={18} stroke={1.7} aria-hidden />
          E-mail
        </dt>
        <dd>
          <a href={`mailto:${email}`}>{email}</a>
        </dd>
        <dt>
          <IconPhone size={18} stroke={1.7} aria-hidden />
          Phone
        </dt>
        <dd>
          <a href={`tel:${phone.replaceAll(/[^+0-9]/g, '')}`}>{phone}</a>
        </dd>
      </dl>
    </>
  )
}

function Videos({ address }: { address: string }) {
  return (
    <>
      <p className={classes.text}>Short videos, from the first sign-in to test schedules.</p>
      <a className={classes.out} href={address} target="_blank" rel="noreferrer">
        Video resources
        <IconExternalLink size={16} aria-hidden />
        <span className="visually-hidden">(opens in a new tab)</span>
      </a>
    </>
  )
}

function Build({ build }: { build: BuildInfo }) {
  const [message, show] = useSuccessMessage()
  const copy = async () => {
    await navigator.clipboard.writeText(`Build ${build.number}, commit ${build.commit}, branch ${build.branch}`)
    show('Copied')
  }
  return (
    <>
      <SuccessMessage text={message} />
      <dl className={classes.figures}>
        <div>
          <dt>Build</dt>
          <dd>{build.number}</dd>
        </div>
        <div>
          <dt>Commit</dt>
          <dd>{build.commit}</dd>
        </div>
        <div>
          <dt>Branch</dt>
          <dd>{build.branch}</dd>
        </div>
      </dl>
      {/* Only a secure page may write to the clipboard. */}
      {window.isSecureContext && (
        <ActionIcon title="Copy" aria-label="Copy the build information" onClick={() => void copy()}>
          <IconCopy size={18} aria-hidden />
        </ActionIcon>
      )}
    </>
  )
}
