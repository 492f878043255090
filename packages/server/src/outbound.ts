/** Why a mail or a webhook delivery was not sent, where the setting suppresses it. */
export const outboundIsOff = 'CARETAKER_OUTBOUND is off'
