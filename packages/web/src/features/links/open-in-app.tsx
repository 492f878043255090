import { Button } from '@mantine/core'
import { IconDeviceMobile } from '../../icons/index.ts'
import { useQuery } from '@tanstack/react-query'
import { QRCodeSVG } from 'qrcode.react'
import { deepLink } from '@caretaker/rules/links/handover.ts'
import { settingsQuery } from '../../api/settings.ts'
import classes from './handover.module.css'

/** The link to the mobile app for a portal path: a button for this phone, a QR code for another. */
export function OpenInApp({ path, serialNumber }: { path: string; serialNumber: string }) {
  const { data: settings, isPending } = useQuery(settingsQuery)
  if (isPending) return undefined
  if (!settings?.appUrl)
    return (
      <p className={classes.text}>
        Open the mobile app and search for the serial number <span className={classes.serial}>{serialNumber}</span>{' '}
        there.
      </p>
    )
  const link = deepLink(settings.appUrl, path)
  return (
    <div className={classes.app}>
      <Button
        component="a"
        href={link}
        target="_blank"
        rel="noreferrer"
        leftSection={<IconDeviceMobile size={18} aria-hidden />}
        className={classes.open}
      >
        Open in the mobile app
      </Button>
      <figure className={classes.code}>
        {/* Dark on light in both themes: many cameras do not read an inverted code. */}
        <QRCodeSVG value={link} size={184} marginSize={4} fgColor="#14181f" title={`QR code of ${link}`} />
        <figcaption>Or scan this code with a phone that has the app.</figcaption>
      </figure>
    </div>
  )
}
