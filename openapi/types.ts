// Generated from openapi/openapi.yaml by `npm run generate`: do not edit. For programs that use the gateway.

export interface paths {
  "/": {
    /** Get service information */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['ServiceInfo'];
          };
        };
        500: components['responses']['InternalError'];
      };
    };
  };
  "/verify-creds": {
    /** Check a key */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['ValidCredentials'];
          };
        };
        400: components['responses']['BadRequest'];
        401: components['responses']['Unauthorized'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
      };
    };
  };
  "/livez": {
    /** Check that the process is alive */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['Liveness'];
          };
        };
        500: components['responses']['InternalError'];
      };
    };
  };
  "/readyz": {
    /** Check that the process can take traffic */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['Readiness'];
          };
        };
        500: components['responses']['InternalError'];
        503: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['Readiness'];
          };
        };
      };
    };
  };
  "/metrics": {
    /** Read the metrics */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "text/plain": string;
          };
        };
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
      };
    };
  };
  "/log/level": {
    /** Get the log level */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['LogLevel'];
          };
        };
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
      };
    };
    /** Set the log level */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['LogLevel'];
        };
      };
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['LogLevel'];
          };
        };
        400: components['responses']['BadRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
      };
    };
  };
  "/cluster": {
    /** List the nodes of the cluster */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['ClusterRecord'];
          };
        };
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
      };
    };
  };
  "/openapi.yaml": {
    /** Download this document as YAML */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/yaml": string;
          };
        };
        500: components['responses']['InternalError'];
      };
    };
  };
  "/openapi.json": {
    /** Download this document as JSON */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['OpenApiDocument'];
          };
        };
        500: components['responses']['InternalError'];
      };
    };
  };
  "/instance/create": {
    /** Create an instance */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['CreateInstanceBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['CreatedInstanceV1'] | components['schemas']['CreatedInstanceV2'];
          };
        };
        400: components['responses']['BadInstance'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        502: components['responses']['BadGateway'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/instance/import": {
    /** Import a session */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['ImportInstanceBody'];
          "multipart/form-data": {
            /** The session bundle. */
            file: Blob;
            /** The passphrase of an encrypted bundle. */
            passphrase?: string;
            /** True accepts a bundle that is not encrypted. */
            allowUnencrypted?: boolean;
            /** Name of the new instance. Without it, the instance has the name in the bundle. */
            instanceName?: string;
            /** Key of the new instance. Without it, the instance has the key in the bundle. */
            token?: string;
          };
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['ImportedInstance'];
          };
        };
        400: components['responses']['BadImport'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        409: components['responses']['SessionConflict'];
        413: components['responses']['BundleTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
      };
    };
  };
  "/instance/export/{instance}": {
    /** Export a session */
    post: {
      parameters: {
        query?: {
          /** True stops the instance first. `stop` in the body means the same. */
          stop?: boolean;
        };
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['ExportInstanceBody'];
        };
      };
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['EncryptedSessionBundle'];
          };
        };
        400: components['responses']['BadExport'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        409: components['responses']['NotStopped'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
      };
    };
  };
  "/instance/connect/{instance}": {
    /** Link an instance */
    get: {
      parameters: {
        query?: {
          /** Phone number in E.164 digits without `+`. With it, the answer has a pairing code to type on the phone. */
          number?: string;
        };
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['QrCode'] | components['schemas']['ConnectionState'];
          };
        };
        400: components['responses']['BadSessionQuery'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        502: components['responses']['BadGateway'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/instance/passkey/{instance}": {
    /** Get the passkey request */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['PasskeyLink'];
          };
        };
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        409: components['responses']['PasskeyConflict'];
        410: components['responses']['PasskeyExpired'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
      };
    };
    /** Answer the passkey request */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['PasskeyAssertion'];
        };
      };
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['PasskeyLink'];
          };
        };
        400: components['responses']['BadPasskey'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        409: components['responses']['PasskeyConflict'];
        410: components['responses']['PasskeyExpired'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/instance/passkey/{instance}/confirm": {
    /** Get the passkey code to compare */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['PasskeyCode'];
          };
        };
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        409: components['responses']['PasskeyConflict'];
        410: components['responses']['PasskeyExpired'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
      };
    };
    /** Confirm the passkey code */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['ConfirmPasskeyBody'];
        };
      };
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['PasskeyLink'];
          };
        };
        400: components['responses']['BadPasskeyConfirmation'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        409: components['responses']['PasskeyConflict'];
        410: components['responses']['PasskeyExpired'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/instance/fetchInstances": {
    /** List instances */
    get: {
      parameters: {
        query?: {
          /** Returns only the instance with this name. */
          instanceName?: string;
          /** Returns only the instance with this UUID (extension). */
          instanceId?: string;
          /** Returns only the instance that is linked to this phone number or was created with it, in E.164 digits without `+` (extension). */
          number?: string;
          /** Returns only instances whose name, profile name or phone number contains this text, in any case (extension). */
          search?: string;
          /** Returns only instances in this state (extension). */
          state?: "open" | "connecting" | "close";
          /** Number of the returned page, from 1. The default is 1 (extension). */
          page?: number;
          /** Maximum number of instances on a page. The default is 50 (extension). */
          offset?: number;
          /** `summary`: the records have the name, the account and the state with its reason; no settings, keys and counts. The default is `all` (extension). */
          fields?: "all" | "summary";
        };
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['InstanceRecord'][] | components['schemas']['InstanceSummary'][] | components['schemas']['InstancePage'];
          };
        };
        400: components['responses']['BadQuery'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
      };
    };
  };
  "/instance/connectionState/{instance}": {
    /** Get the connection state */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['ConnectionState'];
          };
        };
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
      };
    };
  };
  "/instance/restart/{instance}": {
    /** Restart the connection */
    put: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['ConnectionState'];
          };
        };
        400: components['responses']['BadRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
    /** Restart the connection (POST) */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['ConnectionState'];
          };
        };
        400: components['responses']['BadRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/instance/setPresence/{instance}": {
    /** Set the presence of the account */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['SetPresenceBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['PresenceResult'];
          };
        };
        400: components['responses']['BadSessionRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/instance/logout/{instance}": {
    /** Unlink an instance */
    delete: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['OperationResult'];
          };
        };
        400: components['responses']['BadLogout'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
      };
    };
  };
  "/instance/delete/{instance}": {
    /** Delete an instance */
    delete: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['OperationResult'];
          };
        };
        400: components['responses']['BadRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
      };
    };
  };
  "/message/sendText/{instance}": {
    /** Send a text */
    post: {
      parameters: {
        query?: {
          /** `ack` delays the answer until the platform has accepted or refused the message. `status` is then SERVER_ACK or later, ERROR with `code` and `reason`, or PENDING when that takes longer than `timeout`. */
          wait?: "ack";
          /** How long the answer is delayed at most with `wait=ack`, in milliseconds. The default is 10 000. */
          timeout?: number;
        };
        header?: {
          /** Names the request for 24 hours, within this operation of this instance. A second request with the same key and body takes no effect and gets the first answer again, with the header `idempotency-replayed: true`. The answer is 422 for another body and 409 while the first request is in progress; a request that certainly took no effect may be repeated under its key. */
          "idempotency-key"?: string;
        };
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['SendTextBody'] | components['schemas']['SendTextFlatBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['SentMessage'] | components['schemas']['SentMessageFlat'];
          };
        };
        400: components['responses']['BadMessage'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        409: components['responses']['InFlight'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        422: components['responses']['KeyMismatch'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/message/sendPlatformAudio/{instance}": {
    /** Send a voice note */
    post: {
      parameters: {
        query?: {
          /** `ack` delays the answer until the platform has accepted or refused the message. `status` is then SERVER_ACK or later, ERROR with `code` and `reason`, or PENDING when that takes longer than `timeout`. */
          wait?: "ack";
          /** How long the answer is delayed at most with `wait=ack`, in milliseconds. The default is 10 000. */
          timeout?: number;
        };
        header?: {
          /** Names the request for 24 hours, within this operation of this instance. A second request with the same key and body takes no effect and gets the first answer again, with the header `idempotency-replayed: true`. The answer is 422 for another body and 409 while the first request is in progress; a request that certainly took no effect may be repeated under its key. */
          "idempotency-key"?: string;
        };
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['SendAudioBody'] | components['schemas']['SendAudioFlatBody'];
          "multipart/form-data": {
            number: components['schemas']['Recipient'];
            /** The uploaded file. It takes precedence over a file named in another field. */
            file?: Blob;
            /** False sends the file as it is. Otherwise it is converted to mono Ogg/Opus. */
            encoding?: boolean;
            /** True lets the recipient listen to the voice note once. */
            viewOnce?: boolean;
            /** Milliseconds to wait before sending. */
            delay?: number;
            presence?: components['schemas']['Presence'];
            /** The quoted message as JSON. */
            quoted?: string;
            /** Mentions all members of the group. */
            mentionsEveryOne?: boolean;
            /** Mentions all members of the group without a list. */
            mentionsAll?: boolean;
            /** JSON list, or one field for each user. */
            mentioned?: string;
            /** The `options` of the wrapped form as JSON. */
            options?: string;
          };
        };
      };
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['SentMessage'] | components['schemas']['SentMessageFlat'];
          };
        };
        400: components['responses']['BadMediaMessage'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        409: components['responses']['InFlight'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        422: components['responses']['KeyMismatch'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        502: components['responses']['BadGateway'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/message/sendWhatsAppAudio/{instance}": {
    /** Send a voice note (sendWhatsAppAudio) */
    post: {
      parameters: {
        query?: {
          /** `ack` delays the answer until the platform has accepted or refused the message. `status` is then SERVER_ACK or later, ERROR with `code` and `reason`, or PENDING when that takes longer than `timeout`. */
          wait?: "ack";
          /** How long the answer is delayed at most with `wait=ack`, in milliseconds. The default is 10 000. */
          timeout?: number;
        };
        header?: {
          /** Names the request for 24 hours, within this operation of this instance. A second request with the same key and body takes no effect and gets the first answer again, with the header `idempotency-replayed: true`. The answer is 422 for another body and 409 while the first request is in progress; a request that certainly took no effect may be repeated under its key. */
          "idempotency-key"?: string;
        };
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['SendAudioBody'] | components['schemas']['SendAudioFlatBody'];
          "multipart/form-data": {
            number: components['schemas']['Recipient'];
            /** The uploaded file. It takes precedence over a file named in another field. */
            file?: Blob;
            /** False sends the file as it is. Otherwise it is converted to mono Ogg/Opus. */
            encoding?: boolean;
            /** True lets the recipient listen to the voice note once. */
            viewOnce?: boolean;
            /** Milliseconds to wait before sending. */
            delay?: number;
            presence?: components['schemas']['Presence'];
            /** The quoted message as JSON. */
            quoted?: string;
            /** Mentions all members of the group. */
            mentionsEveryOne?: boolean;
            /** Mentions all members of the group without a list. */
            mentionsAll?: boolean;
            /** JSON list, or one field for each user. */
            mentioned?: string;
            /** The `options` of the wrapped form as JSON. */
            options?: string;
          };
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['SentMessage'] | components['schemas']['SentMessageFlat'];
          };
        };
        400: components['responses']['BadMediaMessage'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        409: components['responses']['InFlight'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        422: components['responses']['KeyMismatch'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        502: components['responses']['BadGateway'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/message/sendLocation/{instance}": {
    /** Send a location */
    post: {
      parameters: {
        query?: {
          /** `ack` delays the answer until the platform has accepted or refused the message. `status` is then SERVER_ACK or later, ERROR with `code` and `reason`, or PENDING when that takes longer than `timeout`. */
          wait?: "ack";
          /** How long the answer is delayed at most with `wait=ack`, in milliseconds. The default is 10 000. */
          timeout?: number;
        };
        header?: {
          /** Names the request for 24 hours, within this operation of this instance. A second request with the same key and body takes no effect and gets the first answer again, with the header `idempotency-replayed: true`. The answer is 422 for another body and 409 while the first request is in progress; a request that certainly took no effect may be repeated under its key. */
          "idempotency-key"?: string;
        };
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['SendLocationBody'] | components['schemas']['SendLocationFlatBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['SentMessage'] | components['schemas']['SentMessageFlat'];
          };
        };
        400: components['responses']['BadMessage'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        409: components['responses']['InFlight'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        422: components['responses']['KeyMismatch'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/message/sendSticker/{instance}": {
    /** Send a sticker */
    post: {
      parameters: {
        query?: {
          /** `ack` delays the answer until the platform has accepted or refused the message. `status` is then SERVER_ACK or later, ERROR with `code` and `reason`, or PENDING when that takes longer than `timeout`. */
          wait?: "ack";
          /** How long the answer is delayed at most with `wait=ack`, in milliseconds. The default is 10 000. */
          timeout?: number;
        };
        header?: {
          /** Names the request for 24 hours, within this operation of this instance. A second request with the same key and body takes no effect and gets the first answer again, with the header `idempotency-replayed: true`. The answer is 422 for another body and 409 while the first request is in progress; a request that certainly took no effect may be repeated under its key. */
          "idempotency-key"?: string;
        };
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['SendStickerBody'] | components['schemas']['SendStickerFlatBody'];
          "multipart/form-data": {
            number: components['schemas']['Recipient'];
            /** The uploaded file. It takes precedence over a file named in another field. */
            file?: Blob;
            /** Milliseconds to wait before sending. */
            delay?: number;
            presence?: components['schemas']['Presence'];
            /** The quoted message as JSON. */
            quoted?: string;
            /** Mentions all members of the group. */
            mentionsEveryOne?: boolean;
            /** Mentions all members of the group without a list. */
            mentionsAll?: boolean;
            /** JSON list, or one field for each user. */
            mentioned?: string;
            /** The `options` of the wrapped form as JSON. */
            options?: string;
          };
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['SentMessage'] | components['schemas']['SentMessageFlat'];
          };
        };
        400: components['responses']['BadMediaMessage'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        409: components['responses']['InFlight'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        422: components['responses']['KeyMismatch'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        502: components['responses']['BadGateway'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/message/sendMedia/{instance}": {
    /** Send an image, a video, an audio file or a document */
    post: {
      parameters: {
        query?: {
          /** `ack` delays the answer until the platform has accepted or refused the message. `status` is then SERVER_ACK or later, ERROR with `code` and `reason`, or PENDING when that takes longer than `timeout`. */
          wait?: "ack";
          /** How long the answer is delayed at most with `wait=ack`, in milliseconds. The default is 10 000. */
          timeout?: number;
        };
        header?: {
          /** Names the request for 24 hours, within this operation of this instance. A second request with the same key and body takes no effect and gets the first answer again, with the header `idempotency-replayed: true`. The answer is 422 for another body and 409 while the first request is in progress; a request that certainly took no effect may be repeated under its key. */
          "idempotency-key"?: string;
        };
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['SendMediaBody'] | components['schemas']['SendMediaFlatBody'];
          "multipart/form-data": {
            number: components['schemas']['Recipient'];
            /** Kind of message. The file must be of this kind; `document` takes any file. */
            mediatype: "image" | "document" | "video" | "audio";
            /** The uploaded file. It takes precedence over a file named in another field. */
            file?: Blob;
            /** File name that the recipient of a document sees. Default: the name of the uploaded file. */
            fileName?: string;
            /** MIME type of a document. The type of the other kinds is read from their bytes. */
            mimetype?: string;
            /** Text below the file. */
            caption?: string;
            /** True lets the recipient open an image, a video or an audio file once. */
            viewOnce?: boolean;
            /** Milliseconds to wait before sending. */
            delay?: number;
            presence?: components['schemas']['Presence'];
            /** The quoted message as JSON. */
            quoted?: string;
            /** Mentions all members of the group. */
            mentionsEveryOne?: boolean;
            /** Mentions all members of the group without a list. */
            mentionsAll?: boolean;
            /** JSON list, or one field for each user. */
            mentioned?: string;
            /** The `options` of the wrapped form as JSON. */
            options?: string;
          };
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['SentMessage'] | components['schemas']['SentMessageFlat'];
          };
        };
        400: components['responses']['BadMediaMessage'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        409: components['responses']['InFlight'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        422: components['responses']['KeyMismatch'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        502: components['responses']['BadGateway'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/message/sendPtv/{instance}": {
    /** Send a video note */
    post: {
      parameters: {
        query?: {
          /** `ack` delays the answer until the platform has accepted or refused the message. `status` is then SERVER_ACK or later, ERROR with `code` and `reason`, or PENDING when that takes longer than `timeout`. */
          wait?: "ack";
          /** How long the answer is delayed at most with `wait=ack`, in milliseconds. The default is 10 000. */
          timeout?: number;
        };
        header?: {
          /** Names the request for 24 hours, within this operation of this instance. A second request with the same key and body takes no effect and gets the first answer again, with the header `idempotency-replayed: true`. The answer is 422 for another body and 409 while the first request is in progress; a request that certainly took no effect may be repeated under its key. */
          "idempotency-key"?: string;
        };
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['SendPtvBody'] | components['schemas']['SendPtvFlatBody'];
          "multipart/form-data": {
            number: components['schemas']['Recipient'];
            /** The uploaded file. It takes precedence over a file named in another field. */
            file?: Blob;
            /** Milliseconds to wait before sending. */
            delay?: number;
            presence?: components['schemas']['Presence'];
            /** The quoted message as JSON. */
            quoted?: string;
            /** Mentions all members of the group. */
            mentionsEveryOne?: boolean;
            /** Mentions all members of the group without a list. */
            mentionsAll?: boolean;
            /** JSON list, or one field for each user. */
            mentioned?: string;
            /** The `options` of the wrapped form as JSON. */
            options?: string;
          };
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['SentMessage'] | components['schemas']['SentMessageFlat'];
          };
        };
        400: components['responses']['BadMediaMessage'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        409: components['responses']['InFlight'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        422: components['responses']['KeyMismatch'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        502: components['responses']['BadGateway'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/message/sendContact/{instance}": {
    /** Send contacts */
    post: {
      parameters: {
        query?: {
          /** `ack` delays the answer until the platform has accepted or refused the message. `status` is then SERVER_ACK or later, ERROR with `code` and `reason`, or PENDING when that takes longer than `timeout`. */
          wait?: "ack";
          /** How long the answer is delayed at most with `wait=ack`, in milliseconds. The default is 10 000. */
          timeout?: number;
        };
        header?: {
          /** Names the request for 24 hours, within this operation of this instance. A second request with the same key and body takes no effect and gets the first answer again, with the header `idempotency-replayed: true`. The answer is 422 for another body and 409 while the first request is in progress; a request that certainly took no effect may be repeated under its key. */
          "idempotency-key"?: string;
        };
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['SendContactBody'] | components['schemas']['SendContactFlatBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['SentMessage'] | components['schemas']['SentMessageFlat'];
          };
        };
        400: components['responses']['BadContactMessage'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        409: components['responses']['InFlight'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        422: components['responses']['KeyMismatch'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/message/sendReaction/{instance}": {
    /** React to a message */
    post: {
      parameters: {
        query?: {
          /** `ack` delays the answer until the platform has accepted or refused the message. `status` is then SERVER_ACK or later, ERROR with `code` and `reason`, or PENDING when that takes longer than `timeout`. */
          wait?: "ack";
          /** How long the answer is delayed at most with `wait=ack`, in milliseconds. The default is 10 000. */
          timeout?: number;
        };
        header?: {
          /** Names the request for 24 hours, within this operation of this instance. A second request with the same key and body takes no effect and gets the first answer again, with the header `idempotency-replayed: true`. The answer is 422 for another body and 409 while the first request is in progress; a request that certainly took no effect may be repeated under its key. */
          "idempotency-key"?: string;
        };
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['SendReactionBody'] | components['schemas']['SendReactionFlatBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['SentMessage'] | components['schemas']['SentMessageFlat'];
          };
        };
        400: components['responses']['BadMessage'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        409: components['responses']['InFlight'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        422: components['responses']['KeyMismatch'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/message/forward/{instance}": {
    /** Forward a message */
    post: {
      parameters: {
        query?: {
          /** `ack` delays the answer until the platform has accepted or refused the message. `status` is then SERVER_ACK or later, ERROR with `code` and `reason`, or PENDING when that takes longer than `timeout`. */
          wait?: "ack";
          /** How long the answer is delayed at most with `wait=ack`, in milliseconds. The default is 10 000. */
          timeout?: number;
        };
        header?: {
          /** Names the request for 24 hours, within this operation of this instance. A second request with the same key and body takes no effect and gets the first answer again, with the header `idempotency-replayed: true`. The answer is 422 for another body and 409 while the first request is in progress; a request that certainly took no effect may be repeated under its key. */
          "idempotency-key"?: string;
        };
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['ForwardBody'] | components['schemas']['ForwardFlatBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['SentMessage'] | components['schemas']['SentMessageFlat'];
          };
        };
        400: components['responses']['BadMessage'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        409: components['responses']['InFlight'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        422: components['responses']['KeyMismatch'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/message/sendAlbum/{instance}": {
    /** Send an album */
    post: {
      parameters: {
        query?: {
          /** `ack` delays the answer until the platform has accepted or refused the message. `status` is then SERVER_ACK or later, ERROR with `code` and `reason`, or PENDING when that takes longer than `timeout`. */
          wait?: "ack";
          /** How long the answer is delayed at most with `wait=ack`, in milliseconds. The default is 10 000. */
          timeout?: number;
        };
        header?: {
          /** Names the request for 24 hours, within this operation of this instance. A second request with the same key and body takes no effect and gets the first answer again, with the header `idempotency-replayed: true`. The answer is 422 for another body and 409 while the first request is in progress; a request that certainly took no effect may be repeated under its key. */
          "idempotency-key"?: string;
        };
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['SendAlbumBody'] | components['schemas']['SendAlbumFlatBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['SentAlbum'] | components['schemas']['SentAlbumFlat'];
          };
        };
        400: components['responses']['BadMediaMessage'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        409: components['responses']['InFlight'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        422: components['responses']['KeyMismatch'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        502: components['responses']['BadGateway'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/message/pin/{instance}": {
    /** Pin or unpin a message */
    post: {
      parameters: {
        query?: {
          /** `ack` delays the answer until the platform has accepted or refused the message. `status` is then SERVER_ACK or later, ERROR with `code` and `reason`, or PENDING when that takes longer than `timeout`. */
          wait?: "ack";
          /** How long the answer is delayed at most with `wait=ack`, in milliseconds. The default is 10 000. */
          timeout?: number;
        };
        header?: {
          /** Names the request for 24 hours, within this operation of this instance. A second request with the same key and body takes no effect and gets the first answer again, with the header `idempotency-replayed: true`. The answer is 422 for another body and 409 while the first request is in progress; a request that certainly took no effect may be repeated under its key. */
          "idempotency-key"?: string;
        };
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['PinMessageBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['SentMessage'] | components['schemas']['SentMessageFlat'];
          };
        };
        400: components['responses']['BadMessage'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        409: components['responses']['InFlight'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        422: components['responses']['KeyMismatch'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/message/sendPoll/{instance}": {
    /** Send a poll */
    post: {
      parameters: {
        query?: {
          /** `ack` delays the answer until the platform has accepted or refused the message. `status` is then SERVER_ACK or later, ERROR with `code` and `reason`, or PENDING when that takes longer than `timeout`. */
          wait?: "ack";
          /** How long the answer is delayed at most with `wait=ack`, in milliseconds. The default is 10 000. */
          timeout?: number;
        };
        header?: {
          /** Names the request for 24 hours, within this operation of this instance. A second request with the same key and body takes no effect and gets the first answer again, with the header `idempotency-replayed: true`. The answer is 422 for another body and 409 while the first request is in progress; a request that certainly took no effect may be repeated under its key. */
          "idempotency-key"?: string;
        };
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['SendPollBody'] | components['schemas']['SendPollFlatBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['SentMessage'] | components['schemas']['SentMessageFlat'];
          };
        };
        400: components['responses']['BadMessage'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        409: components['responses']['InFlight'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        422: components['responses']['KeyMismatch'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/message/sendStatus/{instance}": {
    /** Post a status */
    post: {
      parameters: {
        query?: {
          /** `ack` delays the answer until the platform has accepted or refused the message. `status` is then SERVER_ACK or later, ERROR with `code` and `reason`, or PENDING when that takes longer than `timeout`. */
          wait?: "ack";
          /** How long the answer is delayed at most with `wait=ack`, in milliseconds. The default is 10 000. */
          timeout?: number;
        };
        header?: {
          /** Names the request for 24 hours, within this operation of this instance. A second request with the same key and body takes no effect and gets the first answer again, with the header `idempotency-replayed: true`. The answer is 422 for another body and 409 while the first request is in progress; a request that certainly took no effect may be repeated under its key. */
          "idempotency-key"?: string;
        };
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['SendStatusBody'] | components['schemas']['SendStatusFlatBody'];
          "multipart/form-data": {
            /** Kind of the uploaded file. A text status needs the JSON form. */
            type: "image" | "video" | "audio";
            /** The uploaded file. It takes precedence over a file named in another field. */
            file?: Blob;
            /** Text below the file. */
            caption?: string;
            /** Background color of a voice note, as `#rrggbb`. */
            backgroundColor?: string;
            /** JSON list, or one field for each user. */
            statusJidList?: string;
            /** True shows the status to all contacts whose name is known; `statusJidList` is then ignored. */
            allContacts?: boolean;
          };
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['SentMessage'] | components['schemas']['SentMessageFlat'];
          };
        };
        400: components['responses']['BadMediaMessage'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        409: components['responses']['InFlight'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        422: components['responses']['KeyMismatch'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        502: components['responses']['BadGateway'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/message/sendList/{instance}": {
    /** Send a list */
    post: {
      parameters: {
        query?: {
          /** `ack` delays the answer until the platform has accepted or refused the message. `status` is then SERVER_ACK or later, ERROR with `code` and `reason`, or PENDING when that takes longer than `timeout`. */
          wait?: "ack";
          /** How long the answer is delayed at most with `wait=ack`, in milliseconds. The default is 10 000. */
          timeout?: number;
        };
        header?: {
          /** Names the request for 24 hours, within this operation of this instance. A second request with the same key and body takes no effect and gets the first answer again, with the header `idempotency-replayed: true`. The answer is 422 for another body and 409 while the first request is in progress; a request that certainly took no effect may be repeated under its key. */
          "idempotency-key"?: string;
        };
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['SendListBody'] | components['schemas']['SendListFlatBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['SentMessage'] | components['schemas']['SentMessageFlat'];
          };
        };
        400: components['responses']['BadMessage'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        409: components['responses']['InFlight'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        422: components['responses']['KeyMismatch'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/message/sendButtons/{instance}": {
    /** Send buttons */
    post: {
      parameters: {
        query?: {
          /** `ack` delays the answer until the platform has accepted or refused the message. `status` is then SERVER_ACK or later, ERROR with `code` and `reason`, or PENDING when that takes longer than `timeout`. */
          wait?: "ack";
          /** How long the answer is delayed at most with `wait=ack`, in milliseconds. The default is 10 000. */
          timeout?: number;
        };
        header?: {
          /** Names the request for 24 hours, within this operation of this instance. A second request with the same key and body takes no effect and gets the first answer again, with the header `idempotency-replayed: true`. The answer is 422 for another body and 409 while the first request is in progress; a request that certainly took no effect may be repeated under its key. */
          "idempotency-key"?: string;
        };
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['SendButtonsBody'] | components['schemas']['SendButtonsFlatBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['SentMessage'] | components['schemas']['SentMessageFlat'];
          };
        };
        400: components['responses']['BadMediaMessage'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        409: components['responses']['InFlight'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        422: components['responses']['KeyMismatch'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        502: components['responses']['BadGateway'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/message/sendTemplate/{instance}": {
    /** Send a template (not available) */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['SendTemplateBody'] | components['schemas']['SendTemplateFlatBody'];
        };
      };
      responses: {
        400: components['responses']['BadRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        501: components['responses']['NotImplemented'];
        503: components['responses']['Unavailable'];
      };
    };
  };
  "/message/status/{instance}/{messageId}": {
    /** Get the status of a message */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
          /** Identifier of the message, as in its `key`. */
          messageId: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['MessageStatusReport'];
          };
        };
        400: components['responses']['BadQuery'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
      };
    };
  };
  "/chat/sendPresence/{instance}": {
    /** Show presence in a chat */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['SendPresenceBody'] | components['schemas']['SendPresenceFlatBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['PresenceResult'];
          };
        };
        400: components['responses']['BadChatRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/chat/updateMessage/{instance}": {
    /** Edit a sent message */
    put: {
      parameters: {
        query?: never;
        header?: {
          /** Names the request for 24 hours, within this operation of this instance. A second request with the same key and body takes no effect and gets the first answer again, with the header `idempotency-replayed: true`. The answer is 422 for another body and 409 while the first request is in progress; a request that certainly took no effect may be repeated under its key. */
          "idempotency-key"?: string;
        };
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['UpdateMessageBody'];
        };
      };
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['SentMessage'];
          };
        };
        400: components['responses']['BadEdit'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        409: components['responses']['InFlight'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        422: components['responses']['KeyMismatch'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
    /** Edit a sent message (POST) */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** Names the request for 24 hours, within this operation of this instance. A second request with the same key and body takes no effect and gets the first answer again, with the header `idempotency-replayed: true`. The answer is 422 for another body and 409 while the first request is in progress; a request that certainly took no effect may be repeated under its key. */
          "idempotency-key"?: string;
        };
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['UpdateMessageBody'];
        };
      };
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['SentMessage'];
          };
        };
        400: components['responses']['BadEdit'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        409: components['responses']['InFlight'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        422: components['responses']['KeyMismatch'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/chat/findStatusMessage/{instance}": {
    /** Search message statuses */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['FindStatusMessageBody'];
        };
      };
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['StoredStatus'][];
          };
        };
        400: components['responses']['BadRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
      };
    };
  };
  "/chat/findMessages/{instance}": {
    /** Search messages */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['FindMessagesBody'];
        };
      };
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['StoredMessages'] | components['schemas']['StoredMessagePage'];
          };
        };
        400: components['responses']['BadRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
      };
    };
  };
  "/chat/fetchHistory/{instance}": {
    /** Request older messages of a chat */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['FetchHistoryBody'];
        };
      };
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['FetchedHistory'];
          };
        };
        400: components['responses']['BadSessionRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/chat/fetchProfilePictureUrl/{instance}": {
    /** Get the address of a profile picture */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['NumberBody'];
        };
      };
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['ProfilePicture'];
          };
        };
        400: components['responses']['BadSessionRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
      };
    };
  };
  "/chat/updateProfileStatus/{instance}": {
    /** Change the profile status text */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['UpdateProfileStatusBody'];
        };
      };
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['UpdateResult'];
          };
        };
        400: components['responses']['BadSessionRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/chat/updatePrivacySettings/{instance}": {
    /** Change the privacy settings */
    put: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['UpdatePrivacySettingsBody'] | components['schemas']['PrivacySettings'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['PrivacyResult'];
          };
        };
        400: components['responses']['BadSessionRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
    /** Change the privacy settings (POST) */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['UpdatePrivacySettingsBody'] | components['schemas']['PrivacySettings'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['PrivacyResult'];
          };
        };
        400: components['responses']['BadSessionRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/chat/fetchPrivacySettings/{instance}": {
    /** Get the privacy settings */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['PrivacySettings'];
          };
        };
        400: components['responses']['BadSessionQuery'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/chat/updateProfileName/{instance}": {
    /** Change the profile name */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['UpdateProfileNameBody'];
        };
      };
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['UpdateResult'];
          };
        };
        400: components['responses']['BadSessionRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/chat/updateProfilePicture/{instance}": {
    /** Change the profile picture */
    put: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['UpdateProfilePictureBody'];
          "multipart/form-data": {
            /** The uploaded picture. */
            file?: Blob;
          };
        };
      };
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['UpdateResult'];
          };
        };
        400: components['responses']['BadPicture'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
    /** Change the profile picture (POST) */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['UpdateProfilePictureBody'];
          "multipart/form-data": {
            /** The uploaded picture. */
            file?: Blob;
          };
        };
      };
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['UpdateResult'];
          };
        };
        400: components['responses']['BadPicture'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/chat/removeProfilePicture/{instance}": {
    /** Remove the profile picture */
    delete: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['UpdateResult'];
          };
        };
        400: components['responses']['BadSessionRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/chat/fetchProfile/{instance}": {
    /** Get a profile */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['FetchProfileBody'];
        };
      };
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['ShownProfile'];
          };
        };
        400: components['responses']['BadSessionRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/chat/fetchBusinessProfile/{instance}": {
    /** Get a business profile */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['NumberBody'];
        };
      };
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['BusinessProfile'];
          };
        };
        400: components['responses']['BadSessionRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/chat/updateBlockStatus/{instance}": {
    /** Block or unblock a contact */
    put: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['UpdateBlockStatusBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['BlockResult'];
          };
        };
        400: components['responses']['BadChatRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
    /** Block or unblock a contact (POST) */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['UpdateBlockStatusBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['BlockResult'];
          };
        };
        400: components['responses']['BadChatRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/message/updateBlockStatus/{instance}": {
    /** Block or unblock a contact (path below /message) */
    put: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['UpdateBlockStatusBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['BlockResult'];
          };
        };
        400: components['responses']['BadChatRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
    /** Block or unblock a contact (path below /message, POST) */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['UpdateBlockStatusBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['BlockResult'];
          };
        };
        400: components['responses']['BadChatRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/chat/whatsappNumbers/{instance}": {
    /** Check numbers */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['NumbersBody'];
        };
      };
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['CheckedNumber'][];
          };
        };
        400: components['responses']['BadSessionRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/chat/checkIsWhatsappNumber/{instance}": {
    /** Check numbers (checkIsWhatsappNumber) */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['NumbersBody'];
        };
      };
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['CheckedNumber'][];
          };
        };
        400: components['responses']['BadSessionRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/chat/findLids/{instance}": {
    /** Map numbers to LIDs and LIDs to numbers */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['FindLidsBody'];
        };
      };
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['FoundLid'][];
          };
        };
        400: components['responses']['BadSessionRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/chat/deleteMessageForEveryone/{instance}": {
    /** Delete a message for everyone */
    delete: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['DeleteMessageBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['SentMessage'];
          };
        };
        400: components['responses']['BadEdit'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/chat/getBase64FromMediaMessage/{instance}": {
    /** Get the file of a message as base64 */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['GetBase64Body'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['MediaBase64'];
          };
        };
        400: components['responses']['BadFile'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        410: components['responses']['Gone'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        502: components['responses']['BadGateway'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/chat/markMessageAsRead/{instance}": {
    /** Mark messages as read */
    put: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['ReadMessagesBody'] | components['schemas']['ReadMessagesFlatBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['ReadResult'];
          };
        };
        400: components['responses']['BadChatRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
    /** Mark messages as read (POST) */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['ReadMessagesBody'] | components['schemas']['ReadMessagesFlatBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['ReadResult'];
          };
        };
        400: components['responses']['BadChatRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/chat/markChatUnread/{instance}": {
    /** Mark a chat as unread */
    put: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['MarkChatUnreadBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['UnreadResult'];
          };
        };
        400: components['responses']['BadChatRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
    /** Mark a chat as unread (POST) */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['MarkChatUnreadBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['UnreadResult'];
          };
        };
        400: components['responses']['BadChatRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/chat/pinChat/{instance}": {
    /** Pin or unpin a chat */
    put: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['PinChatBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['PinResult'];
          };
        };
        400: components['responses']['BadChatRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
    /** Pin or unpin a chat (POST) */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['PinChatBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['PinResult'];
          };
        };
        400: components['responses']['BadChatRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/chat/muteChat/{instance}": {
    /** Mute or unmute a chat */
    put: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['MuteChatBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['MuteResult'];
          };
        };
        400: components['responses']['BadChatRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
    /** Mute or unmute a chat (POST) */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['MuteChatBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['MuteResult'];
          };
        };
        400: components['responses']['BadChatRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/chat/starMessage/{instance}": {
    /** Star or unstar a message */
    put: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['StarMessageBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['StarResult'];
          };
        };
        400: components['responses']['BadChatRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
    /** Star or unstar a message (POST) */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['StarMessageBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['StarResult'];
          };
        };
        400: components['responses']['BadChatRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/chat/toggleEphemeral/{instance}": {
    /** Set disappearing messages of a chat */
    put: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['ToggleChatEphemeralBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['ChatEphemeralResult'];
          };
        };
        400: components['responses']['BadChatRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
    /** Set disappearing messages of a chat (POST) */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['ToggleChatEphemeralBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['ChatEphemeralResult'];
          };
        };
        400: components['responses']['BadChatRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/chat/archiveChat/{instance}": {
    /** Archive or unarchive a chat */
    put: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['ArchiveChatBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['ArchiveResult'];
          };
        };
        400: components['responses']['BadChatRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
    /** Archive or unarchive a chat (POST) */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['ArchiveChatBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['ArchiveResult'];
          };
        };
        400: components['responses']['BadChatRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/chat/findContacts/{instance}": {
    /** Search contacts */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['FindContactsBody'];
        };
      };
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['ListedContact'][];
          };
        };
        400: components['responses']['BadRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
      };
    };
  };
  "/chat/findChats/{instance}": {
    /** List chats */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['ListedChat'][];
          };
        };
        400: components['responses']['BadQuery'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
      };
    };
    /** Search chats */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['FindChatsBody'];
        };
      };
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['ListedChat'][];
          };
        };
        400: components['responses']['BadRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
      };
    };
  };
  "/chat/findChatByRemoteJid/{instance}": {
    /** Get a chat */
    get: {
      parameters: {
        query: {
          /** Chat: phone number in E.164 digits without `+`, JID, LID or user name. */
          remoteJid: string;
        };
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['ListedChat'] | null;
          };
        };
        400: components['responses']['BadQuery'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
      };
    };
  };
  "/group/create/{instance}": {
    /** Create a group */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** Names the request for 24 hours, within this operation of this instance. A second request with the same key and body takes no effect and gets the first answer again, with the header `idempotency-replayed: true`. The answer is 422 for another body and 409 while the first request is in progress; a request that certainly took no effect may be repeated under its key. */
          "idempotency-key"?: string;
        };
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['CreateGroupBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['GroupRecord'];
          };
        };
        400: components['responses']['BadGroupPicture'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        409: components['responses']['InFlight'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        422: components['responses']['KeyMismatch'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/group/findGroupInfos/{instance}": {
    /** Get a group */
    get: {
      parameters: {
        query: {
          /** JID of the group; `@g.us` may be left out. Operations with a body also accept it as a field of the body. */
          groupJid: string;
        };
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['GroupRecord'];
          };
        };
        400: components['responses']['BadGroupQuery'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/group/fetchAllGroups/{instance}": {
    /** List groups */
    get: {
      parameters: {
        query: {
          /** Whether each record lists its participants. */
          getParticipants: boolean;
        };
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['GroupRecord'][];
          };
        };
        400: components['responses']['BadGroupQuery'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/group/updateParticipant/{instance}": {
    /** Change the participants of a group */
    put: {
      parameters: {
        query: {
          /** JID of the group; `@g.us` may be left out. Operations with a body also accept it as a field of the body. */
          groupJid: string;
        };
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['UpdateParticipantBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['ParticipantsResult'];
          };
        };
        400: components['responses']['BadGroupRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
    /** Change the participants of a group (POST) */
    post: {
      parameters: {
        query: {
          /** JID of the group; `@g.us` may be left out. Operations with a body also accept it as a field of the body. */
          groupJid: string;
        };
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['UpdateParticipantBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['ParticipantsResult'];
          };
        };
        400: components['responses']['BadGroupRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/group/updateSetting/{instance}": {
    /** Set who may send and edit in a group */
    put: {
      parameters: {
        query: {
          /** JID of the group; `@g.us` may be left out. Operations with a body also accept it as a field of the body. */
          groupJid: string;
        };
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['UpdateSettingBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['EmptyResult'];
          };
        };
        400: components['responses']['BadGroupRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
    /** Set who may send and edit in a group (POST) */
    post: {
      parameters: {
        query: {
          /** JID of the group; `@g.us` may be left out. Operations with a body also accept it as a field of the body. */
          groupJid: string;
        };
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['UpdateSettingBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['EmptyResult'];
          };
        };
        400: components['responses']['BadGroupRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/group/toggleEphemeral/{instance}": {
    /** Set disappearing messages of a group */
    put: {
      parameters: {
        query: {
          /** JID of the group; `@g.us` may be left out. Operations with a body also accept it as a field of the body. */
          groupJid: string;
        };
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['ToggleEphemeralBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['SuccessResult'];
          };
        };
        400: components['responses']['BadGroupRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
    /** Set disappearing messages of a group (POST) */
    post: {
      parameters: {
        query: {
          /** JID of the group; `@g.us` may be left out. Operations with a body also accept it as a field of the body. */
          groupJid: string;
        };
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['ToggleEphemeralBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['SuccessResult'];
          };
        };
        400: components['responses']['BadGroupRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/group/updateGroupDescription/{instance}": {
    /** Change the description of a group */
    put: {
      parameters: {
        query: {
          /** JID of the group; `@g.us` may be left out. Operations with a body also accept it as a field of the body. */
          groupJid: string;
        };
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['GroupDescriptionBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['UpdateResult'];
          };
        };
        400: components['responses']['BadGroupRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
    /** Change the description of a group (POST) */
    post: {
      parameters: {
        query: {
          /** JID of the group; `@g.us` may be left out. Operations with a body also accept it as a field of the body. */
          groupJid: string;
        };
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['GroupDescriptionBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['UpdateResult'];
          };
        };
        400: components['responses']['BadGroupRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/group/updateGroupPicture/{instance}": {
    /** Change the picture of a group */
    put: {
      parameters: {
        query: {
          /** JID of the group; `@g.us` may be left out. Operations with a body also accept it as a field of the body. */
          groupJid: string;
        };
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['GroupPictureBody'];
          "multipart/form-data": {
            /** The uploaded file. It takes precedence over a file named in another field. */
            file?: Blob;
          };
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['UpdateResult'];
          };
        };
        400: components['responses']['BadGroupPicture'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
    /** Change the picture of a group (POST) */
    post: {
      parameters: {
        query: {
          /** JID of the group; `@g.us` may be left out. Operations with a body also accept it as a field of the body. */
          groupJid: string;
        };
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['GroupPictureBody'];
          "multipart/form-data": {
            /** The uploaded file. It takes precedence over a file named in another field. */
            file?: Blob;
          };
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['UpdateResult'];
          };
        };
        400: components['responses']['BadGroupPicture'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/group/updateGroupSubject/{instance}": {
    /** Change the name of a group */
    put: {
      parameters: {
        query: {
          /** JID of the group; `@g.us` may be left out. Operations with a body also accept it as a field of the body. */
          groupJid: string;
        };
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['GroupSubjectBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['UpdateResult'];
          };
        };
        400: components['responses']['BadGroupRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
    /** Change the name of a group (POST) */
    post: {
      parameters: {
        query: {
          /** JID of the group; `@g.us` may be left out. Operations with a body also accept it as a field of the body. */
          groupJid: string;
        };
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['GroupSubjectBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['UpdateResult'];
          };
        };
        400: components['responses']['BadGroupRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/group/inviteCode/{instance}": {
    /** Get the invite link of a group */
    get: {
      parameters: {
        query: {
          /** JID of the group; `@g.us` may be left out. Operations with a body also accept it as a field of the body. */
          groupJid: string;
        };
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['InviteResult'];
          };
        };
        400: components['responses']['BadGroupQuery'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/group/acceptInviteCode/{instance}": {
    /** Join a group by its invite code */
    get: {
      parameters: {
        query: {
          /** Code from an invite link, or the whole link. */
          inviteCode: string;
        };
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['AcceptInviteResult'];
          };
        };
        400: components['responses']['BadGroupQuery'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/group/inviteInfo/{instance}": {
    /** Preview a group by its invite code */
    get: {
      parameters: {
        query?: {
          /** Code from an invite link, or the whole link. Without it, the answer is 400. */
          inviteCode?: string;
        };
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['GroupRecord'];
          };
        };
        400: components['responses']['BadGroupQuery'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/group/participants/{instance}": {
    /** List the members of a group */
    get: {
      parameters: {
        query: {
          /** JID of the group; `@g.us` may be left out. Operations with a body also accept it as a field of the body. */
          groupJid: string;
        };
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['GroupMembers'];
          };
        };
        400: components['responses']['BadGroupQuery'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/group/sendInvite/{instance}": {
    /** Send the invite link of a group */
    post: {
      parameters: {
        query: {
          /** JID of the group; `@g.us` may be left out. Operations with a body also accept it as a field of the body. */
          groupJid: string;
        };
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['SendInviteBody'];
        };
      };
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['SentInvite'];
          };
        };
        400: components['responses']['BadGroupRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/group/revokeInviteCode/{instance}": {
    /** Replace the invite link of a group */
    put: {
      parameters: {
        query: {
          /** JID of the group; `@g.us` may be left out. Operations with a body also accept it as a field of the body. */
          groupJid: string;
        };
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['RevokedInvite'];
          };
        };
        400: components['responses']['BadGroupRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
    /** Replace the invite link of a group (POST) */
    post: {
      parameters: {
        query: {
          /** JID of the group; `@g.us` may be left out. Operations with a body also accept it as a field of the body. */
          groupJid: string;
        };
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['RevokedInvite'];
          };
        };
        400: components['responses']['BadGroupRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/group/leaveGroup/{instance}": {
    /** Leave a group */
    delete: {
      parameters: {
        query: {
          /** JID of the group; `@g.us` may be left out. Operations with a body also accept it as a field of the body. */
          groupJid: string;
        };
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['LeftGroup'];
          };
        };
        400: components['responses']['BadGroupRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/group/joinRequests/{instance}": {
    /** List requests to join a group */
    get: {
      parameters: {
        query: {
          /** JID of the group; `@g.us` may be left out. Operations with a body also accept it as a field of the body. */
          groupJid: string;
        };
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['JoinRequests'];
          };
        };
        400: components['responses']['BadGroupQuery'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/group/updateJoinRequests/{instance}": {
    /** Approve or reject requests to join a group */
    put: {
      parameters: {
        query: {
          /** JID of the group; `@g.us` may be left out. Operations with a body also accept it as a field of the body. */
          groupJid: string;
        };
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['JoinDecisionBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['ParticipantsResult'];
          };
        };
        400: components['responses']['BadGroupRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
    /** Approve or reject requests to join a group (POST) */
    post: {
      parameters: {
        query: {
          /** JID of the group; `@g.us` may be left out. Operations with a body also accept it as a field of the body. */
          groupJid: string;
        };
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['JoinDecisionBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['ParticipantsResult'];
          };
        };
        400: components['responses']['BadGroupRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/group/updateMemberAddMode/{instance}": {
    /** Set who may add members to a group */
    put: {
      parameters: {
        query: {
          /** JID of the group; `@g.us` may be left out. Operations with a body also accept it as a field of the body. */
          groupJid: string;
        };
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['MemberAddModeBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['SuccessResult'];
          };
        };
        400: components['responses']['BadGroupRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
    /** Set who may add members to a group (POST) */
    post: {
      parameters: {
        query: {
          /** JID of the group; `@g.us` may be left out. Operations with a body also accept it as a field of the body. */
          groupJid: string;
        };
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['MemberAddModeBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['SuccessResult'];
          };
        };
        400: components['responses']['BadGroupRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/group/updateJoinApprovalMode/{instance}": {
    /** Set whether admins approve new members of a group */
    put: {
      parameters: {
        query: {
          /** JID of the group; `@g.us` may be left out. Operations with a body also accept it as a field of the body. */
          groupJid: string;
        };
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['JoinApprovalModeBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['SuccessResult'];
          };
        };
        400: components['responses']['BadGroupRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
    /** Set whether admins approve new members of a group (POST) */
    post: {
      parameters: {
        query: {
          /** JID of the group; `@g.us` may be left out. Operations with a body also accept it as a field of the body. */
          groupJid: string;
        };
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['JoinApprovalModeBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['SuccessResult'];
          };
        };
        400: components['responses']['BadGroupRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/channel/create/{instance}": {
    /** Create a channel */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['CreateChannelBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['ChannelRecord'];
          };
        };
        400: components['responses']['BadChannelRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/channel/update/{instance}": {
    /** Change the name, description or picture of a channel */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['UpdateChannelBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['ChannelRecord'];
          };
        };
        400: components['responses']['BadChannelPicture'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/channel/findChannelInfos/{instance}": {
    /** Get a channel */
    get: {
      parameters: {
        query: {
          /** JID of the channel, its link, or the code in the link. */
          channel: string;
        };
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['ChannelRecord'];
          };
        };
        400: components['responses']['BadChannelQuery'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/channel/fetchAllChannels/{instance}": {
    /** List channels */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['ChannelList'];
          };
        };
        400: components['responses']['BadChannelQuery'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/channel/follow/{instance}": {
    /** Follow a channel */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['ChannelBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['ChannelRecord'];
          };
        };
        400: components['responses']['BadChannelRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/channel/unfollow/{instance}": {
    /** Unfollow a channel */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['ChannelBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['ChannelChange'];
          };
        };
        400: components['responses']['BadChannelRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/channel/mute/{instance}": {
    /** Mute or unmute a channel */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['MuteChannelBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['ChannelChange'];
          };
        };
        400: components['responses']['BadChannelRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/channel/fetchMessages/{instance}": {
    /** List the posts of a channel */
    get: {
      parameters: {
        query: {
          /** JID of the channel, its link, or the code in the link. */
          channel: string;
          /** Maximum number of posts. The default is 50. */
          count?: number;
          /** Returns only posts before the one with this `serverId`. */
          before?: string;
        };
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['ChannelPosts'];
          };
        };
        400: components['responses']['BadChannelQuery'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/channel/delete/{instance}": {
    /** Delete a channel */
    delete: {
      parameters: {
        query: {
          /** JID of the channel, its link, or the code in the link. */
          channel: string;
        };
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['ChannelChange'];
          };
        };
        400: components['responses']['BadChannelRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/label/findLabels/{instance}": {
    /** List labels */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['Labels'];
          };
        };
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
      };
    };
  };
  "/label/handleLabel/{instance}": {
    /** Add or remove a label of a chat */
    put: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['HandleLabelBody'];
        };
      };
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['LabelResult'];
          };
        };
        400: components['responses']['BadSessionRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
    /** Add or remove a label of a chat (POST) */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['HandleLabelBody'];
        };
      };
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['LabelResult'];
          };
        };
        400: components['responses']['BadSessionRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/settings/set/{instance}": {
    /** Change the settings of an instance */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['SetSettingsBody'] | components['schemas']['SetSettingsSnakeBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['SettingsEcho'];
          };
        };
        400: components['responses']['BadRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
      };
    };
  };
  "/settings/find/{instance}": {
    /** Get the settings of an instance */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['SettingsRecord'];
          };
        };
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
      };
    };
  };
  "/proxy/set/{instance}": {
    /** Set the proxy of an instance */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['SetProxyBody'] | components['schemas']['SetProxyFlatBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['ProxyEcho'];
          };
        };
        400: components['responses']['BadProxy'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
      };
    };
  };
  "/proxy/find/{instance}": {
    /** Get the proxy of an instance */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['ProxyConfig'];
          };
        };
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
      };
    };
  };
  "/call/offer/{instance}": {
    /** Place a call (not available) */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['OfferCallBody'];
        };
      };
      responses: {
        400: components['responses']['BadRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        501: components['responses']['NotImplemented'];
        503: components['responses']['Unavailable'];
      };
    };
  };
  "/websocket/set/{instance}": {
    /** Set the events for socket.io clients */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['WebsocketBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['WebsocketEcho'];
          };
        };
        400: components['responses']['BadRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
      };
    };
  };
  "/websocket/find/{instance}": {
    /** Get the events for socket.io clients */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['WebsocketConfig'];
          };
        };
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
      };
    };
  };
  "/rabbitmq/set/{instance}": {
    /** Set the RabbitMQ transport (not available) */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['TransportBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['TransportEcho'];
          };
        };
        400: components['responses']['BadRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
      };
    };
  };
  "/rabbitmq/find/{instance}": {
    /** Get the RabbitMQ transport (not available) */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['TransportRecord'];
          };
        };
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
      };
    };
  };
  "/sqs/set/{instance}": {
    /** Set the SQS transport (not available) */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['TransportBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['TransportEcho'];
          };
        };
        400: components['responses']['BadRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
      };
    };
  };
  "/sqs/find/{instance}": {
    /** Get the SQS transport (not available) */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['TransportRecord'];
          };
        };
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
      };
    };
  };
  "/nats/set/{instance}": {
    /** Set the NATS transport (not available) */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['TransportBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['TransportEcho'];
          };
        };
        400: components['responses']['BadRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
      };
    };
  };
  "/nats/find/{instance}": {
    /** Get the NATS transport (not available) */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['TransportRecord'];
          };
        };
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
      };
    };
  };
  "/kafka/set/{instance}": {
    /** Set the Kafka transport (not available) */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['TransportBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['TransportEcho'];
          };
        };
        400: components['responses']['BadRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
      };
    };
  };
  "/kafka/find/{instance}": {
    /** Get the Kafka transport (not available) */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['TransportRecord'];
          };
        };
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
      };
    };
  };
  "/pusher/set/{instance}": {
    /** Set the Pusher transport (not available) */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['TransportBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['TransportEcho'];
          };
        };
        400: components['responses']['BadRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
      };
    };
  };
  "/pusher/find/{instance}": {
    /** Get the Pusher transport (not available) */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['TransportRecord'];
          };
        };
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
      };
    };
  };
  "/media/{instance}/{messageId}": {
    /** Download the file of a message */
    get: {
      parameters: {
        query?: {
          /** JID of the chat, when two chats have a message with this identifier. The default is the message stored last. */
          remoteJid?: string;
          /** End of a signed link, in seconds since the epoch. Signed links carry it. */
          expires?: string;
          /** Proof that the gateway created the link. Signed links carry it. */
          signature?: string;
        };
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
          /** Identifier of the message, as in its `key`. */
          messageId: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "*/*": Blob;
          };
        };
        400: components['responses']['BadSessionQuery'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['LinkRefused'];
        404: components['responses']['NotFound'];
        410: components['responses']['Gone'];
        413: components['responses']['FileTooLarge'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        502: components['responses']['FileUnusable'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/webhook/find/{instance}": {
    /** Get the webhook of an instance */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['WebhookConfig'];
          };
        };
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
      };
    };
  };
  "/webhook/set/{instance}": {
    /** Set the webhook of an instance */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['SetWebhookBody'] | components['schemas']['SetWebhookFlatBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['WebhookConfig'] | components['schemas']['WebhookEcho'];
          };
        };
        400: components['responses']['BadWebhook'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
      };
    };
  };
  "/webhook/endpoints/{instance}": {
    /** List the webhooks of an instance */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['WebhookEndpoints'];
          };
        };
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
      };
    };
    /** Add a webhook to an instance */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['WebhookEndpointInput'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['WebhookEndpoint'];
          };
        };
        400: components['responses']['BadNewWebhook'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
      };
    };
  };
  "/webhook/endpoints/{instance}/{id}": {
    /** Change a webhook */
    put: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
          /** UUID of the webhook, as in `GET /webhook/endpoints/{instance}`. */
          id: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['WebhookEndpointInput'];
        };
      };
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['WebhookEndpoint'];
          };
        };
        400: components['responses']['BadWebhook'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
      };
    };
    /** Change a webhook (POST) */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
          /** UUID of the webhook, as in `GET /webhook/endpoints/{instance}`. */
          id: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['WebhookEndpointInput'];
        };
      };
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['WebhookEndpoint'];
          };
        };
        400: components['responses']['BadWebhook'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
      };
    };
    /** Remove a webhook */
    delete: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
          /** UUID of the webhook, as in `GET /webhook/endpoints/{instance}`. */
          id: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['RemovedWebhook'];
          };
        };
        400: components['responses']['BadRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
      };
    };
  };
  "/webhook/rotate/{instance}": {
    /** Rotate the signing secret of a webhook */
    post: {
      parameters: {
        query?: {
          /** UUID of the webhook. The default is the webhook of webhook/set. */
          endpoint?: string;
        };
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody?: {
        content: {
          "application/json": components['schemas']['RotateBody'];
        };
      };
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['RotatedSecret'];
          };
        };
        400: components['responses']['BadRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
      };
    };
  };
  "/webhook/test/{instance}": {
    /** Send a test event to a webhook */
    post: {
      parameters: {
        query?: {
          /** UUID of the webhook. The default is the webhook of webhook/set. */
          endpoint?: string;
        };
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['WebhookTestResult'];
          };
        };
        400: components['responses']['BadWebhook'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
      };
    };
  };
  "/webhook/global": {
    /** Get the global webhook */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['WebhookEndpoint'];
          };
        };
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
      };
    };
  };
  "/webhook/global/test": {
    /** Send a test event to the global webhook */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['WebhookTestResult'];
          };
        };
        400: components['responses']['BadWebhook'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
      };
    };
  };
  "/webhook/deliveries/{instance}": {
    /** List deliveries and the health of receivers */
    get: {
      parameters: {
        query?: {
          /** Returns only deliveries in this state. The default is all. */
          state?: "waiting" | "delivered" | "dead";
          /** Returns only deliveries to the webhook with this UUID. */
          endpoint?: string;
          /** Maximum number of deliveries in one answer. The default is 50. */
          limit?: number;
          /** `next` of the previous answer. The default is the first page. */
          cursor?: string;
        };
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['Deliveries'];
          };
        };
        400: components['responses']['BadQuery'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
      };
    };
  };
  "/webhook/replay/{instance}": {
    /** Replay events */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['ReplayBody'];
        };
      };
      responses: {
        202: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['Replayed'];
          };
        };
        400: components['responses']['BadRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
      };
    };
  };
  "/keys": {
    /** List keys */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['KeyList'];
          };
        };
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
      };
    };
    /** Create a key */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['CreateKeyBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['CreatedKey'];
          };
        };
        400: components['responses']['BadRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
      };
    };
  };
  "/keys/{id}": {
    /** Revoke a key */
    delete: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** `id` of the key, as in `GET /keys`. */
          id: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['RevokedKey'];
          };
        };
        400: components['responses']['BadRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
      };
    };
  };
  "/keys/{id}/rotate": {
    /** Rotate a key */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** `id` of the key, as in `GET /keys`. */
          id: string;
        };
        cookie?: never;
      };
      requestBody?: {
        content: {
          "application/json": components['schemas']['RotateKeyBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['RotatedKey'];
          };
        };
        400: components['responses']['BadRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
      };
    };
  };
  "/audit": {
    /** List audit entries */
    get: {
      parameters: {
        query?: {
          /** `next` of the previous answer. The default is the oldest entry that is kept. */
          after?: string;
          /** Maximum number of entries in one answer. The default is 100. */
          limit?: number;
        };
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['AuditPage'];
          };
        };
        400: components['responses']['BadQuery'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
      };
    };
  };
  "/events/{instance}": {
    /** Read or stream events */
    get: {
      parameters: {
        query?: {
          /** Cursor after which to read: `next` of an answer or `id` of an event. The default is the oldest event that is kept; `latest` returns only events that happen from now on. */
          after?: string;
          /** Maximum number of events in one answer. The default is 100. More events can follow an answer with fewer or no events, unless its `next` equals `after`. */
          limit?: number;
          /** Returns only these events. Separate names by commas; both forms of the names are accepted. */
          types?: string;
        };
        header?: {
          /** Cursor at which a stream continues; browsers send it automatically. It takes precedence over `after`. */
          "last-event-id"?: string;
        };
        path: {
          /** Name under which the instance was created. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['EventPage'];
            "text/event-stream": string;
          };
        };
        400: components['responses']['BadQuery'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        410: components['responses']['CursorExpired'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
      };
    };
  };
}

export interface webhooks {
  "qrcode.updated": {
    /** A QR code or pairing code is ready */
    post: {
      parameters: {
        query?: never;
        header: {
          /** Names the event; the same on every attempt and after a restart. Posts are delivered at least once, so drop an id that was seen before. Events of one chat arrive in order; chats do not wait for each other. */
          "webhook-id": string;
          /** Number of the event, the same on every attempt. It rises with every event of an instance, so that a receiver can put events of several chats into the order in which they happened; numbers in between may belong to other instances. */
          "webhook-seq": string;
          /** When this attempt was made, in seconds since the epoch. Refuse posts that are much older than five minutes. */
          "webhook-timestamp": string;
          /** Standard Webhooks: `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body` with the secret shown by webhook/find. While a secret is replaced (webhook/rotate), two follow each other, separated by a space; one match is enough. */
          "webhook-signature": string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['QrcodeUpdatedEvent'];
        };
      };
      responses: {
        "2XX": components['responses']['Received'];
      };
    };
  };
  "connection.update": {
    /** The state of the connection changed */
    post: {
      parameters: {
        query?: never;
        header: {
          /** Names the event; the same on every attempt and after a restart. Posts are delivered at least once, so drop an id that was seen before. Events of one chat arrive in order; chats do not wait for each other. */
          "webhook-id": string;
          /** Number of the event, the same on every attempt. It rises with every event of an instance, so that a receiver can put events of several chats into the order in which they happened; numbers in between may belong to other instances. */
          "webhook-seq": string;
          /** When this attempt was made, in seconds since the epoch. Refuse posts that are much older than five minutes. */
          "webhook-timestamp": string;
          /** Standard Webhooks: `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body` with the secret shown by webhook/find. While a secret is replaced (webhook/rotate), two follow each other, separated by a space; one match is enough. */
          "webhook-signature": string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['ConnectionUpdateEvent'];
        };
      };
      responses: {
        "2XX": components['responses']['Received'];
      };
    };
  };
  "messages.upsert": {
    /** A message arrived */
    post: {
      parameters: {
        query?: never;
        header: {
          /** Names the event; the same on every attempt and after a restart. Posts are delivered at least once, so drop an id that was seen before. Events of one chat arrive in order; chats do not wait for each other. */
          "webhook-id": string;
          /** Number of the event, the same on every attempt. It rises with every event of an instance, so that a receiver can put events of several chats into the order in which they happened; numbers in between may belong to other instances. */
          "webhook-seq": string;
          /** When this attempt was made, in seconds since the epoch. Refuse posts that are much older than five minutes. */
          "webhook-timestamp": string;
          /** Standard Webhooks: `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body` with the secret shown by webhook/find. While a secret is replaced (webhook/rotate), two follow each other, separated by a space; one match is enough. */
          "webhook-signature": string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['MessagesUpsertEvent'];
        };
      };
      responses: {
        "2XX": components['responses']['Received'];
      };
    };
  };
  "messages.update": {
    /** A message has a new status */
    post: {
      parameters: {
        query?: never;
        header: {
          /** Names the event; the same on every attempt and after a restart. Posts are delivered at least once, so drop an id that was seen before. Events of one chat arrive in order; chats do not wait for each other. */
          "webhook-id": string;
          /** Number of the event, the same on every attempt. It rises with every event of an instance, so that a receiver can put events of several chats into the order in which they happened; numbers in between may belong to other instances. */
          "webhook-seq": string;
          /** When this attempt was made, in seconds since the epoch. Refuse posts that are much older than five minutes. */
          "webhook-timestamp": string;
          /** Standard Webhooks: `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body` with the secret shown by webhook/find. While a secret is replaced (webhook/rotate), two follow each other, separated by a space; one match is enough. */
          "webhook-signature": string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['MessagesUpdateEvent'];
        };
      };
      responses: {
        "2XX": components['responses']['Received'];
      };
    };
  };
  "send.message": {
    /** A message was sent through the gateway */
    post: {
      parameters: {
        query?: never;
        header: {
          /** Names the event; the same on every attempt and after a restart. Posts are delivered at least once, so drop an id that was seen before. Events of one chat arrive in order; chats do not wait for each other. */
          "webhook-id": string;
          /** Number of the event, the same on every attempt. It rises with every event of an instance, so that a receiver can put events of several chats into the order in which they happened; numbers in between may belong to other instances. */
          "webhook-seq": string;
          /** When this attempt was made, in seconds since the epoch. Refuse posts that are much older than five minutes. */
          "webhook-timestamp": string;
          /** Standard Webhooks: `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body` with the secret shown by webhook/find. While a secret is replaced (webhook/rotate), two follow each other, separated by a space; one match is enough. */
          "webhook-signature": string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['SendMessageEvent'];
        };
      };
      responses: {
        "2XX": components['responses']['Received'];
      };
    };
  };
  "send.message.update": {
    /** A message was edited through the gateway */
    post: {
      parameters: {
        query?: never;
        header: {
          /** Names the event; the same on every attempt and after a restart. Posts are delivered at least once, so drop an id that was seen before. Events of one chat arrive in order; chats do not wait for each other. */
          "webhook-id": string;
          /** Number of the event, the same on every attempt. It rises with every event of an instance, so that a receiver can put events of several chats into the order in which they happened; numbers in between may belong to other instances. */
          "webhook-seq": string;
          /** When this attempt was made, in seconds since the epoch. Refuse posts that are much older than five minutes. */
          "webhook-timestamp": string;
          /** Standard Webhooks: `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body` with the secret shown by webhook/find. While a secret is replaced (webhook/rotate), two follow each other, separated by a space; one match is enough. */
          "webhook-signature": string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['SendMessageUpdateEvent'];
        };
      };
      responses: {
        "2XX": components['responses']['Received'];
      };
    };
  };
  "messages.edited": {
    /** A message was edited */
    post: {
      parameters: {
        query?: never;
        header: {
          /** Names the event; the same on every attempt and after a restart. Posts are delivered at least once, so drop an id that was seen before. Events of one chat arrive in order; chats do not wait for each other. */
          "webhook-id": string;
          /** Number of the event, the same on every attempt. It rises with every event of an instance, so that a receiver can put events of several chats into the order in which they happened; numbers in between may belong to other instances. */
          "webhook-seq": string;
          /** When this attempt was made, in seconds since the epoch. Refuse posts that are much older than five minutes. */
          "webhook-timestamp": string;
          /** Standard Webhooks: `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body` with the secret shown by webhook/find. While a secret is replaced (webhook/rotate), two follow each other, separated by a space; one match is enough. */
          "webhook-signature": string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['MessagesEditedEvent'];
        };
      };
      responses: {
        "2XX": components['responses']['Received'];
      };
    };
  };
  "messages.delete": {
    /** A message was deleted */
    post: {
      parameters: {
        query?: never;
        header: {
          /** Names the event; the same on every attempt and after a restart. Posts are delivered at least once, so drop an id that was seen before. Events of one chat arrive in order; chats do not wait for each other. */
          "webhook-id": string;
          /** Number of the event, the same on every attempt. It rises with every event of an instance, so that a receiver can put events of several chats into the order in which they happened; numbers in between may belong to other instances. */
          "webhook-seq": string;
          /** When this attempt was made, in seconds since the epoch. Refuse posts that are much older than five minutes. */
          "webhook-timestamp": string;
          /** Standard Webhooks: `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body` with the secret shown by webhook/find. While a secret is replaced (webhook/rotate), two follow each other, separated by a space; one match is enough. */
          "webhook-signature": string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['MessagesDeleteEvent'];
        };
      };
      responses: {
        "2XX": components['responses']['Received'];
      };
    };
  };
  "presence.update": {
    /** The presence of a person in a chat changed */
    post: {
      parameters: {
        query?: never;
        header: {
          /** Names the event; the same on every attempt and after a restart. Posts are delivered at least once, so drop an id that was seen before. Events of one chat arrive in order; chats do not wait for each other. */
          "webhook-id": string;
          /** Number of the event, the same on every attempt. It rises with every event of an instance, so that a receiver can put events of several chats into the order in which they happened; numbers in between may belong to other instances. */
          "webhook-seq": string;
          /** When this attempt was made, in seconds since the epoch. Refuse posts that are much older than five minutes. */
          "webhook-timestamp": string;
          /** Standard Webhooks: `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body` with the secret shown by webhook/find. While a secret is replaced (webhook/rotate), two follow each other, separated by a space; one match is enough. */
          "webhook-signature": string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['PresenceUpdateEvent'];
        };
      };
      responses: {
        "2XX": components['responses']['Received'];
      };
    };
  };
  "contacts.upsert": {
    /** Contacts were added */
    post: {
      parameters: {
        query?: never;
        header: {
          /** Names the event; the same on every attempt and after a restart. Posts are delivered at least once, so drop an id that was seen before. Events of one chat arrive in order; chats do not wait for each other. */
          "webhook-id": string;
          /** Number of the event, the same on every attempt. It rises with every event of an instance, so that a receiver can put events of several chats into the order in which they happened; numbers in between may belong to other instances. */
          "webhook-seq": string;
          /** When this attempt was made, in seconds since the epoch. Refuse posts that are much older than five minutes. */
          "webhook-timestamp": string;
          /** Standard Webhooks: `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body` with the secret shown by webhook/find. While a secret is replaced (webhook/rotate), two follow each other, separated by a space; one match is enough. */
          "webhook-signature": string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['ContactsUpsertEvent'];
        };
      };
      responses: {
        "2XX": components['responses']['Received'];
      };
    };
  };
  "contacts.update": {
    /** Contacts changed */
    post: {
      parameters: {
        query?: never;
        header: {
          /** Names the event; the same on every attempt and after a restart. Posts are delivered at least once, so drop an id that was seen before. Events of one chat arrive in order; chats do not wait for each other. */
          "webhook-id": string;
          /** Number of the event, the same on every attempt. It rises with every event of an instance, so that a receiver can put events of several chats into the order in which they happened; numbers in between may belong to other instances. */
          "webhook-seq": string;
          /** When this attempt was made, in seconds since the epoch. Refuse posts that are much older than five minutes. */
          "webhook-timestamp": string;
          /** Standard Webhooks: `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body` with the secret shown by webhook/find. While a secret is replaced (webhook/rotate), two follow each other, separated by a space; one match is enough. */
          "webhook-signature": string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['ContactsUpdateEvent'];
        };
      };
      responses: {
        "2XX": components['responses']['Received'];
      };
    };
  };
  "messages.set": {
    /** Messages of the history arrived */
    post: {
      parameters: {
        query?: never;
        header: {
          /** Names the event; the same on every attempt and after a restart. Posts are delivered at least once, so drop an id that was seen before. Events of one chat arrive in order; chats do not wait for each other. */
          "webhook-id": string;
          /** Number of the event, the same on every attempt. It rises with every event of an instance, so that a receiver can put events of several chats into the order in which they happened; numbers in between may belong to other instances. */
          "webhook-seq": string;
          /** When this attempt was made, in seconds since the epoch. Refuse posts that are much older than five minutes. */
          "webhook-timestamp": string;
          /** Standard Webhooks: `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body` with the secret shown by webhook/find. While a secret is replaced (webhook/rotate), two follow each other, separated by a space; one match is enough. */
          "webhook-signature": string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['MessagesSetEvent'];
        };
      };
      responses: {
        "2XX": components['responses']['Received'];
      };
    };
  };
  "chats.set": {
    /** Chats of the history arrived */
    post: {
      parameters: {
        query?: never;
        header: {
          /** Names the event; the same on every attempt and after a restart. Posts are delivered at least once, so drop an id that was seen before. Events of one chat arrive in order; chats do not wait for each other. */
          "webhook-id": string;
          /** Number of the event, the same on every attempt. It rises with every event of an instance, so that a receiver can put events of several chats into the order in which they happened; numbers in between may belong to other instances. */
          "webhook-seq": string;
          /** When this attempt was made, in seconds since the epoch. Refuse posts that are much older than five minutes. */
          "webhook-timestamp": string;
          /** Standard Webhooks: `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body` with the secret shown by webhook/find. While a secret is replaced (webhook/rotate), two follow each other, separated by a space; one match is enough. */
          "webhook-signature": string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['ChatsSetEvent'];
        };
      };
      responses: {
        "2XX": components['responses']['Received'];
      };
    };
  };
  "chats.upsert": {
    /** A chat is new */
    post: {
      parameters: {
        query?: never;
        header: {
          /** Names the event; the same on every attempt and after a restart. Posts are delivered at least once, so drop an id that was seen before. Events of one chat arrive in order; chats do not wait for each other. */
          "webhook-id": string;
          /** Number of the event, the same on every attempt. It rises with every event of an instance, so that a receiver can put events of several chats into the order in which they happened; numbers in between may belong to other instances. */
          "webhook-seq": string;
          /** When this attempt was made, in seconds since the epoch. Refuse posts that are much older than five minutes. */
          "webhook-timestamp": string;
          /** Standard Webhooks: `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body` with the secret shown by webhook/find. While a secret is replaced (webhook/rotate), two follow each other, separated by a space; one match is enough. */
          "webhook-signature": string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['ChatsUpsertEvent'];
        };
      };
      responses: {
        "2XX": components['responses']['Received'];
      };
    };
  };
  "chats.update": {
    /** A chat changed */
    post: {
      parameters: {
        query?: never;
        header: {
          /** Names the event; the same on every attempt and after a restart. Posts are delivered at least once, so drop an id that was seen before. Events of one chat arrive in order; chats do not wait for each other. */
          "webhook-id": string;
          /** Number of the event, the same on every attempt. It rises with every event of an instance, so that a receiver can put events of several chats into the order in which they happened; numbers in between may belong to other instances. */
          "webhook-seq": string;
          /** When this attempt was made, in seconds since the epoch. Refuse posts that are much older than five minutes. */
          "webhook-timestamp": string;
          /** Standard Webhooks: `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body` with the secret shown by webhook/find. While a secret is replaced (webhook/rotate), two follow each other, separated by a space; one match is enough. */
          "webhook-signature": string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['ChatsUpdateEvent'];
        };
      };
      responses: {
        "2XX": components['responses']['Received'];
      };
    };
  };
  "chats.delete": {
    /** Chats were deleted */
    post: {
      parameters: {
        query?: never;
        header: {
          /** Names the event; the same on every attempt and after a restart. Posts are delivered at least once, so drop an id that was seen before. Events of one chat arrive in order; chats do not wait for each other. */
          "webhook-id": string;
          /** Number of the event, the same on every attempt. It rises with every event of an instance, so that a receiver can put events of several chats into the order in which they happened; numbers in between may belong to other instances. */
          "webhook-seq": string;
          /** When this attempt was made, in seconds since the epoch. Refuse posts that are much older than five minutes. */
          "webhook-timestamp": string;
          /** Standard Webhooks: `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body` with the secret shown by webhook/find. While a secret is replaced (webhook/rotate), two follow each other, separated by a space; one match is enough. */
          "webhook-signature": string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['ChatsDeleteEvent'];
        };
      };
      responses: {
        "2XX": components['responses']['Received'];
      };
    };
  };
  "labels.edit": {
    /** A label changed */
    post: {
      parameters: {
        query?: never;
        header: {
          /** Names the event; the same on every attempt and after a restart. Posts are delivered at least once, so drop an id that was seen before. Events of one chat arrive in order; chats do not wait for each other. */
          "webhook-id": string;
          /** Number of the event, the same on every attempt. It rises with every event of an instance, so that a receiver can put events of several chats into the order in which they happened; numbers in between may belong to other instances. */
          "webhook-seq": string;
          /** When this attempt was made, in seconds since the epoch. Refuse posts that are much older than five minutes. */
          "webhook-timestamp": string;
          /** Standard Webhooks: `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body` with the secret shown by webhook/find. While a secret is replaced (webhook/rotate), two follow each other, separated by a space; one match is enough. */
          "webhook-signature": string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['LabelsEditEvent'];
        };
      };
      responses: {
        "2XX": components['responses']['Received'];
      };
    };
  };
  "labels.association": {
    /** A label of a chat or message was added or removed */
    post: {
      parameters: {
        query?: never;
        header: {
          /** Names the event; the same on every attempt and after a restart. Posts are delivered at least once, so drop an id that was seen before. Events of one chat arrive in order; chats do not wait for each other. */
          "webhook-id": string;
          /** Number of the event, the same on every attempt. It rises with every event of an instance, so that a receiver can put events of several chats into the order in which they happened; numbers in between may belong to other instances. */
          "webhook-seq": string;
          /** When this attempt was made, in seconds since the epoch. Refuse posts that are much older than five minutes. */
          "webhook-timestamp": string;
          /** Standard Webhooks: `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body` with the secret shown by webhook/find. While a secret is replaced (webhook/rotate), two follow each other, separated by a space; one match is enough. */
          "webhook-signature": string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['LabelsAssociationEvent'];
        };
      };
      responses: {
        "2XX": components['responses']['Received'];
      };
    };
  };
  "messages.undecryptable": {
    /** A message could not be decrypted */
    post: {
      parameters: {
        query?: never;
        header: {
          /** Names the event; the same on every attempt and after a restart. Posts are delivered at least once, so drop an id that was seen before. Events of one chat arrive in order; chats do not wait for each other. */
          "webhook-id": string;
          /** Number of the event, the same on every attempt. It rises with every event of an instance, so that a receiver can put events of several chats into the order in which they happened; numbers in between may belong to other instances. */
          "webhook-seq": string;
          /** When this attempt was made, in seconds since the epoch. Refuse posts that are much older than five minutes. */
          "webhook-timestamp": string;
          /** Standard Webhooks: `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body` with the secret shown by webhook/find. While a secret is replaced (webhook/rotate), two follow each other, separated by a space; one match is enough. */
          "webhook-signature": string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['MessagesUndecryptableEvent'];
        };
      };
      responses: {
        "2XX": components['responses']['Received'];
      };
    };
  };
  "logout.instance": {
    /** The instance was unlinked */
    post: {
      parameters: {
        query?: never;
        header: {
          /** Names the event; the same on every attempt and after a restart. Posts are delivered at least once, so drop an id that was seen before. Events of one chat arrive in order; chats do not wait for each other. */
          "webhook-id": string;
          /** Number of the event, the same on every attempt. It rises with every event of an instance, so that a receiver can put events of several chats into the order in which they happened; numbers in between may belong to other instances. */
          "webhook-seq": string;
          /** When this attempt was made, in seconds since the epoch. Refuse posts that are much older than five minutes. */
          "webhook-timestamp": string;
          /** Standard Webhooks: `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body` with the secret shown by webhook/find. While a secret is replaced (webhook/rotate), two follow each other, separated by a space; one match is enough. */
          "webhook-signature": string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['LogoutInstanceEvent'];
        };
      };
      responses: {
        "2XX": components['responses']['Received'];
      };
    };
  };
  "remove.instance": {
    /** The instance was deleted */
    post: {
      parameters: {
        query?: never;
        header: {
          /** Names the event; the same on every attempt and after a restart. Posts are delivered at least once, so drop an id that was seen before. Events of one chat arrive in order; chats do not wait for each other. */
          "webhook-id": string;
          /** Number of the event, the same on every attempt. It rises with every event of an instance, so that a receiver can put events of several chats into the order in which they happened; numbers in between may belong to other instances. */
          "webhook-seq": string;
          /** When this attempt was made, in seconds since the epoch. Refuse posts that are much older than five minutes. */
          "webhook-timestamp": string;
          /** Standard Webhooks: `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body` with the secret shown by webhook/find. While a secret is replaced (webhook/rotate), two follow each other, separated by a space; one match is enough. */
          "webhook-signature": string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['RemoveInstanceEvent'];
        };
      };
      responses: {
        "2XX": components['responses']['Received'];
      };
    };
  };
  "groups.upsert": {
    /** A group was created or joined */
    post: {
      parameters: {
        query?: never;
        header: {
          /** Names the event; the same on every attempt and after a restart. Posts are delivered at least once, so drop an id that was seen before. Events of one chat arrive in order; chats do not wait for each other. */
          "webhook-id": string;
          /** Number of the event, the same on every attempt. It rises with every event of an instance, so that a receiver can put events of several chats into the order in which they happened; numbers in between may belong to other instances. */
          "webhook-seq": string;
          /** When this attempt was made, in seconds since the epoch. Refuse posts that are much older than five minutes. */
          "webhook-timestamp": string;
          /** Standard Webhooks: `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body` with the secret shown by webhook/find. While a secret is replaced (webhook/rotate), two follow each other, separated by a space; one match is enough. */
          "webhook-signature": string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['GroupsUpsertEvent'];
        };
      };
      responses: {
        "2XX": components['responses']['Received'];
      };
    };
  };
  "groups.update": {
    /** A group changed */
    post: {
      parameters: {
        query?: never;
        header: {
          /** Names the event; the same on every attempt and after a restart. Posts are delivered at least once, so drop an id that was seen before. Events of one chat arrive in order; chats do not wait for each other. */
          "webhook-id": string;
          /** Number of the event, the same on every attempt. It rises with every event of an instance, so that a receiver can put events of several chats into the order in which they happened; numbers in between may belong to other instances. */
          "webhook-seq": string;
          /** When this attempt was made, in seconds since the epoch. Refuse posts that are much older than five minutes. */
          "webhook-timestamp": string;
          /** Standard Webhooks: `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body` with the secret shown by webhook/find. While a secret is replaced (webhook/rotate), two follow each other, separated by a space; one match is enough. */
          "webhook-signature": string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['GroupsUpdateEvent'];
        };
      };
      responses: {
        "2XX": components['responses']['Received'];
      };
    };
  };
  "group-participants.update": {
    /** The members of a group changed */
    post: {
      parameters: {
        query?: never;
        header: {
          /** Names the event; the same on every attempt and after a restart. Posts are delivered at least once, so drop an id that was seen before. Events of one chat arrive in order; chats do not wait for each other. */
          "webhook-id": string;
          /** Number of the event, the same on every attempt. It rises with every event of an instance, so that a receiver can put events of several chats into the order in which they happened; numbers in between may belong to other instances. */
          "webhook-seq": string;
          /** When this attempt was made, in seconds since the epoch. Refuse posts that are much older than five minutes. */
          "webhook-timestamp": string;
          /** Standard Webhooks: `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body` with the secret shown by webhook/find. While a secret is replaced (webhook/rotate), two follow each other, separated by a space; one match is enough. */
          "webhook-signature": string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['GroupParticipantsUpdateEvent'];
        };
      };
      responses: {
        "2XX": components['responses']['Received'];
      };
    };
  };
  "group.join-request": {
    /** A request to join a group changed */
    post: {
      parameters: {
        query?: never;
        header: {
          /** Names the event; the same on every attempt and after a restart. Posts are delivered at least once, so drop an id that was seen before. Events of one chat arrive in order; chats do not wait for each other. */
          "webhook-id": string;
          /** Number of the event, the same on every attempt. It rises with every event of an instance, so that a receiver can put events of several chats into the order in which they happened; numbers in between may belong to other instances. */
          "webhook-seq": string;
          /** When this attempt was made, in seconds since the epoch. Refuse posts that are much older than five minutes. */
          "webhook-timestamp": string;
          /** Standard Webhooks: `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body` with the secret shown by webhook/find. While a secret is replaced (webhook/rotate), two follow each other, separated by a space; one match is enough. */
          "webhook-signature": string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['GroupJoinRequestEvent'];
        };
      };
      responses: {
        "2XX": components['responses']['Received'];
      };
    };
  };
  call: {
    /** A call changed its state */
    post: {
      parameters: {
        query?: never;
        header: {
          /** Names the event; the same on every attempt and after a restart. Posts are delivered at least once, so drop an id that was seen before. Events of one chat arrive in order; chats do not wait for each other. */
          "webhook-id": string;
          /** Number of the event, the same on every attempt. It rises with every event of an instance, so that a receiver can put events of several chats into the order in which they happened; numbers in between may belong to other instances. */
          "webhook-seq": string;
          /** When this attempt was made, in seconds since the epoch. Refuse posts that are much older than five minutes. */
          "webhook-timestamp": string;
          /** Standard Webhooks: `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body` with the secret shown by webhook/find. While a secret is replaced (webhook/rotate), two follow each other, separated by a space; one match is enough. */
          "webhook-signature": string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['CallEvent'];
        };
      };
      responses: {
        "2XX": components['responses']['Received'];
      };
    };
  };
  "status.instance": {
    /** The connection ended permanently */
    post: {
      parameters: {
        query?: never;
        header: {
          /** Names the event; the same on every attempt and after a restart. Posts are delivered at least once, so drop an id that was seen before. Events of one chat arrive in order; chats do not wait for each other. */
          "webhook-id": string;
          /** Number of the event, the same on every attempt. It rises with every event of an instance, so that a receiver can put events of several chats into the order in which they happened; numbers in between may belong to other instances. */
          "webhook-seq": string;
          /** When this attempt was made, in seconds since the epoch. Refuse posts that are much older than five minutes. */
          "webhook-timestamp": string;
          /** Standard Webhooks: `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body` with the secret shown by webhook/find. While a secret is replaced (webhook/rotate), two follow each other, separated by a space; one match is enough. */
          "webhook-signature": string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['StatusInstanceEvent'];
        };
      };
      responses: {
        "2XX": components['responses']['Received'];
      };
    };
  };
  "instance.restricted": {
    /** A restriction of the account changed */
    post: {
      parameters: {
        query?: never;
        header: {
          /** Names the event; the same on every attempt and after a restart. Posts are delivered at least once, so drop an id that was seen before. Events of one chat arrive in order; chats do not wait for each other. */
          "webhook-id": string;
          /** Number of the event, the same on every attempt. It rises with every event of an instance, so that a receiver can put events of several chats into the order in which they happened; numbers in between may belong to other instances. */
          "webhook-seq": string;
          /** When this attempt was made, in seconds since the epoch. Refuse posts that are much older than five minutes. */
          "webhook-timestamp": string;
          /** Standard Webhooks: `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body` with the secret shown by webhook/find. While a secret is replaced (webhook/rotate), two follow each other, separated by a space; one match is enough. */
          "webhook-signature": string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['InstanceRestrictedEvent'];
        };
      };
      responses: {
        "2XX": components['responses']['Received'];
      };
    };
  };
  "history.progress": {
    /** The transfer of the history progressed */
    post: {
      parameters: {
        query?: never;
        header: {
          /** Names the event; the same on every attempt and after a restart. Posts are delivered at least once, so drop an id that was seen before. Events of one chat arrive in order; chats do not wait for each other. */
          "webhook-id": string;
          /** Number of the event, the same on every attempt. It rises with every event of an instance, so that a receiver can put events of several chats into the order in which they happened; numbers in between may belong to other instances. */
          "webhook-seq": string;
          /** When this attempt was made, in seconds since the epoch. Refuse posts that are much older than five minutes. */
          "webhook-timestamp": string;
          /** Standard Webhooks: `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body` with the secret shown by webhook/find. While a secret is replaced (webhook/rotate), two follow each other, separated by a space; one match is enough. */
          "webhook-signature": string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['HistoryProgressEvent'];
        };
      };
      responses: {
        "2XX": components['responses']['Received'];
      };
    };
  };
  "instance.create": {
    /** The instance was created */
    post: {
      parameters: {
        query?: never;
        header: {
          /** Names the event; the same on every attempt and after a restart. Posts are delivered at least once, so drop an id that was seen before. Events of one chat arrive in order; chats do not wait for each other. */
          "webhook-id": string;
          /** Number of the event, the same on every attempt. It rises with every event of an instance, so that a receiver can put events of several chats into the order in which they happened; numbers in between may belong to other instances. */
          "webhook-seq": string;
          /** When this attempt was made, in seconds since the epoch. Refuse posts that are much older than five minutes. */
          "webhook-timestamp": string;
          /** Standard Webhooks: `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body` with the secret shown by webhook/find. While a secret is replaced (webhook/rotate), two follow each other, separated by a space; one match is enough. */
          "webhook-signature": string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['InstanceCreateEvent'];
        };
      };
      responses: {
        "2XX": components['responses']['Received'];
      };
    };
  };
  "instance.delete": {
    /** The instance is being deleted */
    post: {
      parameters: {
        query?: never;
        header: {
          /** Names the event; the same on every attempt and after a restart. Posts are delivered at least once, so drop an id that was seen before. Events of one chat arrive in order; chats do not wait for each other. */
          "webhook-id": string;
          /** Number of the event, the same on every attempt. It rises with every event of an instance, so that a receiver can put events of several chats into the order in which they happened; numbers in between may belong to other instances. */
          "webhook-seq": string;
          /** When this attempt was made, in seconds since the epoch. Refuse posts that are much older than five minutes. */
          "webhook-timestamp": string;
          /** Standard Webhooks: `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body` with the secret shown by webhook/find. While a secret is replaced (webhook/rotate), two follow each other, separated by a space; one match is enough. */
          "webhook-signature": string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['InstanceDeleteEvent'];
        };
      };
      responses: {
        "2XX": components['responses']['Received'];
      };
    };
  };
  "application.startup": {
    /** The gateway started */
    post: {
      parameters: {
        query?: never;
        header: {
          /** Names the event; the same on every attempt and after a restart. Posts are delivered at least once, so drop an id that was seen before. Events of one chat arrive in order; chats do not wait for each other. */
          "webhook-id": string;
          /** Number of the event, the same on every attempt. It rises with every event of an instance, so that a receiver can put events of several chats into the order in which they happened; numbers in between may belong to other instances. */
          "webhook-seq": string;
          /** When this attempt was made, in seconds since the epoch. Refuse posts that are much older than five minutes. */
          "webhook-timestamp": string;
          /** Standard Webhooks: `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body` with the secret shown by webhook/find. While a secret is replaced (webhook/rotate), two follow each other, separated by a space; one match is enough. */
          "webhook-signature": string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['ApplicationStartupEvent'];
        };
      };
      responses: {
        "2XX": components['responses']['Received'];
      };
    };
  };
  "webhook.test": {
    /** A test of the webhook */
    post: {
      parameters: {
        query?: never;
        header: {
          /** Names the event; the same on every attempt and after a restart. Posts are delivered at least once, so drop an id that was seen before. Events of one chat arrive in order; chats do not wait for each other. */
          "webhook-id": string;
          /** When this attempt was made, in seconds since the epoch. Refuse posts that are much older than five minutes. */
          "webhook-timestamp": string;
          /** Standard Webhooks: `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body` with the secret shown by webhook/find. While a secret is replaced (webhook/rotate), two follow each other, separated by a space; one match is enough. */
          "webhook-signature": string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['WebhookTestEvent'];
        };
      };
      responses: {
        "2XX": components['responses']['Received'];
      };
    };
  };
}

export interface components {
  schemas: {
    /** The one error envelope. `response.message` is a string for 401, for 5xx and for a body that cannot be read, otherwise an array. */
    ErrorBody: {
      /** HTTP status of the answer. */
      status: number;
      /** Title of the HTTP status, such as `Bad Request`. */
      error: string;
      /** Details of the error. */
      response: {
        /** Text; or an array of texts, of objects that name a property, or of lists of validation texts. */
        message: unknown;
      };
      /** Stable code to branch on, such as `INSTANCE_NOT_FOUND` (superset of the interface). */
      code: string;
      /** Names the request in the logs, as the header `x-request-id` does (superset of the interface). */
      requestId: string;
      /** Present in errors of sends. True: nothing was sent. False: the outcome is unknown. */
      certain?: boolean;
      /** Id under which an uncertain send may still arrive. */
      messageId?: string;
    };
    /** Connection state of an instance. */
    PublicState: "open" | "connecting" | "close";
    /** Delivery status, lowest to highest; ERROR ends a message that the platform never accepted, DELETED one that was deleted for everyone. */
    MessageStatus: "ERROR" | "PENDING" | "SERVER_ACK" | "DELIVERY_ACK" | "READ" | "PLAYED" | "DELETED";
    /** What the chat partners see, such as typing. */
    Presence: "unavailable" | "available" | "composing" | "recording" | "paused";
    /** Name to subscribe to; the name in the field `event`, such as `messages.upsert`, is accepted too. GROUP_UPDATE and GROUPS_UPDATE are the same event. Names of events this gateway does not have are accepted, so that existing subscriptions stay valid, and never occur: CONTACTS_SET, TYPEBOT_START, TYPEBOT_CHANGE_STATUS, CHAMA_AI_ACTION, NEW_JWT_TOKEN. */
    EventName: "APPLICATION_STARTUP" | "QRCODE_UPDATED" | "CONNECTION_UPDATE" | "MESSAGES_SET" | "HISTORY_PROGRESS" | "MESSAGES_UPSERT" | "MESSAGES_EDITED" | "MESSAGES_UPDATE" | "MESSAGES_DELETE" | "MESSAGES_UNDECRYPTABLE" | "SEND_MESSAGE" | "SEND_MESSAGE_UPDATE" | "CONTACTS_SET" | "CONTACTS_UPSERT" | "CONTACTS_UPDATE" | "PRESENCE_UPDATE" | "CHATS_SET" | "CHATS_UPSERT" | "CHATS_UPDATE" | "CHATS_DELETE" | "GROUPS_UPSERT" | "GROUP_UPDATE" | "GROUPS_UPDATE" | "GROUP_PARTICIPANTS_UPDATE" | "GROUP_JOIN_REQUEST" | "LABELS_EDIT" | "LABELS_ASSOCIATION" | "CALL" | "TYPEBOT_START" | "TYPEBOT_CHANGE_STATUS" | "NEW_JWT_TOKEN" | "CHAMA_AI_ACTION" | "REMOVE_INSTANCE" | "LOGOUT_INSTANCE" | "INSTANCE_CREATE" | "INSTANCE_DELETE" | "INSTANCE_RESTRICTED" | "STATUS_INSTANCE";
    /** Identifies a message: its chat, its side and its id. */
    MessageKey: {
      /** JID of the chat, in phone-number form when the number is known, else the LID (`…@lid`). */
      remoteJid: string;
      /** True when sent by the instance or its phone. */
      fromMe: boolean;
      /** Message identifier; unique within a chat. */
      id: string;
      /** JID of the sender of a message in a group. */
      participant?: string;
      /** LID of the chat partner, when known (superset of the interface). */
      remoteJidAlt?: string;
      /** LID of the participant, when known (superset of the interface). */
      participantAlt?: string;
      /** User name of the chat partner, when the platform sent it (superset of the interface). */
      remoteJidUsername?: string;
      /** User name of the participant, when the platform sent it (superset of the interface). */
      participantUsername?: string;
    };
    /** One content object, named after the kind. 64-bit integers are strings, bytes are base64 strings. */
    MessageContent: {
      /** Plain text (flat dialect and received messages). */
      conversation?: string;
      /** Signed link to the file of the message (events and searches; GET /media). */
      mediaUrl?: string;
      /** The file in base64, in events of webhooks with the base64 option. */
      base64?: string;
      /** Why `base64` is missing: an error code, `TIMEOUT` or `BUSY`. */
      base64Error?: string;
      /** A text in the wrapped form. */
      extendedTextMessage?: {
        /** The text of the message. */
        text?: string;
      } & { [name: string]: unknown };
      /** A sound or a voice note. Received files are encrypted; `mediaUrl` returns the decrypted file. */
      audioMessage?: {
        /** Address of the encrypted file on the servers of the platform. */
        url?: string;
        /** MIME type of the sound, such as `audio/ogg; codecs=opus`. */
        mimetype?: string;
        /** SHA-256 of the decrypted file, in base64. */
        fileSha256?: string;
        /** Size of the file in bytes, as text. */
        fileLength?: string;
        /** Length of the sound in seconds. */
        seconds?: number;
        /** True for a voice note. */
        ptt?: boolean;
        /** Key that decrypts the file, in base64. */
        mediaKey?: string;
        /** SHA-256 of the encrypted file, in base64. */
        fileEncSha256?: string;
        /** Path of the encrypted file on the servers of the platform. */
        directPath?: string;
        /** When the key of the file was created, in seconds since the epoch, as text. */
        mediaKeyTimestamp?: string;
      } & { [name: string]: unknown };
      /** A location as a pin on a map. */
      locationMessage?: {
        /** Latitude in degrees, from -90 to 90. */
        degreesLatitude?: number;
        /** Longitude in degrees, from -180 to 180. */
        degreesLongitude?: number;
        /** Name that the pin shows. */
        name?: string;
        /** Postal address that the pin shows. */
        address?: string;
        /** Quotes and mentions of the location. */
        contextInfo?: { [name: string]: unknown };
      } & { [name: string]: unknown };
    } & { [name: string]: unknown };
    /** A part of a request that a send left out. */
    SendWarning: {
      /** `QUOTE_NOT_FOUND`: the quoted message is not known or is deleted, and no content came with it. */
      code: "QUOTE_NOT_FOUND";
      /** Field of the request that was left out. */
      field: string;
      /** Sentence that says what happened and what to do. */
      message: string;
    };
    /** Result of a send in the wrapped form. */
    SentMessage: {
      key: components['schemas']['MessageKey'];
      message: components['schemas']['MessageContent'];
      /** When the message was sent, in seconds since the epoch, as text. */
      messageTimestamp: string;
      status: components['schemas']['MessageStatus'];
      /** Error code of the platform with `wait=ack` and the status ERROR (superset of the interface). */
      code?: string;
      /** Reason of the status ERROR, such as `account_restricted`. The page of error codes lists all. */
      reason?: string;
      /** Parts of the request that were left out. Absent when there are none (superset of the interface). */
      warnings?: components['schemas']['SendWarning'][];
    };
    /** Phone number in E.164 digits without `+`, JID of a user (`…@s.whatsapp.net`, `…@lid`) or group (`…@g.us`), or user name (`@name`, or `@name:key` when the person gives a key to those who may write first). Operations that work with channels also take the JID of a channel. */
    Recipient: string;
    /** A change that succeeded. */
    UpdateResult: {
      /** Always `success`. */
      update: string;
    };
    /** QR code or pairing code that links a phone to the instance. */
    QrCode: {
      /** Pairing code to type on the phone; null unless a number was given. */
      pairingCode: string | null;
      /** Content of the QR code as text. */
      code: string;
      /** QR code as a PNG data URL, `data:image/png;base64,…`. */
      base64: string;
      /** Number of QR codes so far, this one included. */
      count: number;
    };
    /** Properties of the key. */
    ValidCredentials: {
      /** HTTP status of the answer, always 200. */
      status: number;
      /** Sentence that confirms the key. */
      message: string;
      /** Scopes of the key. The global key and the keys of instances have all of them. */
      scopes: components['schemas']['KeyScope'][];
      /** Name of the only instance that the key opens; null when it opens all. */
      instance: string | null;
    };
    /** Service information. Addresses that are switched off are left out. */
    ServiceInfo: {
      /** HTTP status of the answer, always 200. */
      status: number;
      /** Greeting of the gateway. */
      message: string;
      /** Version of the interface. Clients choose the form of their bodies by it. */
      version: string;
      /** Address of the documentation page; absent when it is switched off. */
      swagger?: string;
      /** Address of the manager page; absent when it is switched off. */
      manager?: string;
      /** Address of this document as YAML. */
      documentation: string;
      /** Name of this gateway, `CLIENT_NAME` (superset of the interface). */
      clientName?: string;
      /** Version of this program (superset of the interface). */
      gatewayVersion?: string;
    };
    /** The contract as JSON. */
    OpenApiDocument: { [name: string]: unknown };
    /** The process is alive. */
    Liveness: {
      /** Always `ok`. */
      status: "ok";
    };
    /** Result of the readiness checks. */
    Readiness: {
      /** `ok` when the process can take traffic, otherwise `unavailable`. */
      status: "ok" | "unavailable";
      /** Result of each check; all must be true. */
      checks: {
        /** True when the database answers and takes writes. */
        storage: boolean;
        /** True when all instances are loaded; they need not be connected. */
        instances: boolean;
        /** True when the process is neither overloaded nor about to stop. */
        load: boolean;
      };
      /** Sentences that name what is missing; absent when nothing is. */
      reasons?: string[];
    };
    /** The processes that share a database, and how the instances are spread over them. */
    ClusterRecord: {
      /** Whether other nodes can share the database. */
      enabled: boolean;
      /** The node that answers; null when there can be no other. */
      node: {
        /** Id of this process. A restart gives a new one. */
        id: string;
        /** `NODE_NAME`, or host name and port. It stays the same over restarts. */
        name: string;
        /** Address under which other nodes reach this process. */
        url: string;
      } | null;
      /** All processes that share the database, oldest first. */
      nodes: components['schemas']['ClusterNodeRecord'][];
      /** Number of instances in the database, with and without a node. */
      instances: number;
      /** Number of instances that no live node has. A live node takes them over. */
      orphans: number;
      /** Seconds without a sign of life after which a node counts as silent, `LEASE_TTL`; 0 without a cluster. */
      leaseTtl: number;
    };
    /** One process, as of its last sign of life. */
    ClusterNodeRecord: {
      /** Id of the process. A restart gives a new one. */
      id: string;
      /** `NODE_NAME`, or host name and port. It stays the same over restarts. */
      name: string;
      /** Address under which other nodes reach the process. */
      url: string;
      /** Release of the gateway that the node runs. */
      version: string;
      /** When the process started (ISO 8601, UTC). */
      startedAt: string;
      /** `draining`: it is being stopped and gives its instances away. `silent`: others take its instances; a node that is silent for long is forgotten. */
      state: "live" | "draining" | "silent";
      /** Milliseconds since the last sign of life of this node. */
      silentFor: number;
      /** Number of instances that this node has. */
      instances: number;
      /** Maximum number of instances, `NODE_CAPACITY`; 0 means any number. */
      capacity: number;
    };
    /** How much is logged; each level has the graver ones in it. */
    LogLevel: {
      /** Least severe level that is logged; `silent` logs nothing. */
      level: "trace" | "debug" | "info" | "warn" | "error" | "fatal" | "silent";
    };
    /** Behavior of an instance; every field may also be given at the top level or in snake_case. */
    CreateSettings: {
      /** Whether incoming calls are rejected. */
      rejectCall?: boolean;
      /** Text that is sent to rejected callers; empty sends none. */
      msgCall?: string;
      /** Whether events of groups are omitted. */
      groupsIgnore?: boolean;
      /** Whether the account is shown as online while it is connected. */
      alwaysOnline?: boolean;
      /** Whether incoming messages are marked as read. */
      readMessages?: boolean;
      /** Whether statuses of contacts are reported and marked as seen. */
      readStatus?: boolean;
      /** Whether the phone is asked for its whole history at the next link. */
      syncFullHistory?: boolean;
      /** Whether posts of followed channels are reported. */
      readChannels?: boolean;
    };
    /** Webhook of a new instance; enabled unless it says otherwise. */
    CreateWebhook: {
      /** Whether events are posted. A disabled webhook keeps its configuration. */
      enabled?: boolean;
      /** Address with http or https to which events are posted. */
      url?: string;
      /** Sent with every post. Those that the gateway sets itself are accepted and not sent: `content-type` with application/json, `content-encoding` with identity, `host` with the host of `url`, and with any value `content-length`, `connection`, `keep-alive`, `proxy-connection`, `te`, `trailer`, `transfer-encoding`, `upgrade` and `expect`. Other values of the first three, `webhook-…` and other `proxy-…` answer 400. */
      headers?: { [name: string]: string };
      /** Whether the name of the event is appended to the address, such as `/messages-upsert`. */
      byEvents?: boolean;
      /** Whether posts contain the files of their messages as base64. */
      base64?: boolean;
      /** Whether the name of the event is appended to the address, such as `/messages-upsert`. */
      webhookByEvents?: boolean;
      /** Whether posts contain the files of their messages as base64. */
      webhookBase64?: boolean;
      /** Names of the subscribed events. */
      events?: components['schemas']['EventName'][];
    };
    /** An encrypted session bundle. docs/reference/session-bundle.md describes its fields. */
    EncryptedSessionBundle: {
      /** Always the same text. */
      format: string;
      /** Version of the format. */
      version: number;
    } & { [name: string]: unknown };
    /** A session bundle and what the new instance needs. */
    ImportInstanceBody: {
      /** The session bundle as a JSON object, encrypted or not. docs/reference/session-bundle.md describes its fields. */
      bundle: { [name: string]: unknown };
      /** The passphrase of an encrypted bundle. */
      passphrase?: string;
      /** True accepts a bundle that is not encrypted. */
      allowUnencrypted?: boolean;
      /** Name of the new instance. Without it, the instance has the name in the bundle. */
      instanceName?: string;
      /** Key of the new instance. Without it, the instance has the key in the bundle, or a random key when the bundle has none. Only a key with all scopes may send a key here or in the bundle. */
      token?: string;
    };
    /** Keys or settings that were not taken from the bundle. */
    DroppedKeys: {
      /** What they are. */
      type: string;
      /** Number of keys or settings. */
      count: number;
      /** Why they were not taken. */
      reason: string;
    };
    /** The new instance, and what was taken from the bundle. */
    ImportedInstance: {
      /** The instance that was created. */
      instance: {
        /** Name in the request, or else in the bundle. */
        instanceName: string;
        /** Id that the gateway gave to the instance. */
        instanceId: string;
        /** The instance is closed until it is connected. */
        status: "close";
      };
      /** Key of the instance. Missing when the key of the request lacks a scope. */
      hash?: string;
      /** JID of the account. */
      account: string;
      /** Number of keys that were taken, by type. */
      taken: { [name: string]: number };
      /** What was not taken. */
      dropped: components['schemas']['DroppedKeys'][];
      /** What to know before the instance is connected, one sentence each. */
      warnings: string[];
    };
    /** How the bundle is encrypted. */
    ExportInstanceBody: {
      /** The passphrase that decrypts the bundle, at least 12 characters. The bundle cannot be read without it. */
      passphrase: string;
      /** True stops the instance first. */
      stop?: boolean;
    };
    /** One superset of the three forms clients send: nested objects, flat camelCase and flat snake_case. Fields of integrations this gateway does not have are ignored. */
    CreateInstanceBody: {
      /** Unique name of the new instance, which every other path uses. Any characters except slashes and control characters. */
      instanceName: string;
      /** Kind of session. There is only this one. */
      integration?: "WHATSAPP-BAILEYS";
      /** Key of the instance, at least 16 characters unless the operator set `WEAK_TOKENS`. The gateway creates one when it is missing or empty. Only a key with all scopes may send it. */
      token?: string;
      /** Phone number in E.164 digits without `+`. With it, linking uses a pairing code. */
      number?: string;
      /** True starts linking, and the answer waits for the first QR code. */
      qrcode?: boolean;
      settings?: components['schemas']['CreateSettings'];
      /** Whether incoming calls are rejected. */
      rejectCall?: boolean;
      /** Whether incoming calls are rejected. */
      reject_call?: boolean;
      /** Text that is sent to rejected callers; empty sends none. */
      msgCall?: string;
      /** Text that is sent to rejected callers; empty sends none. */
      msg_call?: string;
      /** Whether events of groups are omitted. */
      groupsIgnore?: boolean;
      /** Whether events of groups are omitted. */
      groups_ignore?: boolean;
      /** Whether the account is shown as online while it is connected. */
      alwaysOnline?: boolean;
      /** Whether the account is shown as online while it is connected. */
      always_online?: boolean;
      /** Whether incoming messages are marked as read. */
      readMessages?: boolean;
      /** Whether incoming messages are marked as read. */
      read_messages?: boolean;
      /** Whether statuses of contacts are reported and marked as seen. */
      readStatus?: boolean;
      /** Whether statuses of contacts are reported and marked as seen. */
      read_status?: boolean;
      /** Whether the phone is asked for its whole history at the next link. */
      syncFullHistory?: boolean;
      /** Whether the phone is asked for its whole history at the next link. */
      sync_full_history?: boolean;
      /** Whether posts of followed channels are reported. */
      readChannels?: boolean;
      /** Whether posts of followed channels are reported. */
      read_channels?: boolean;
      /** The nested form, or the address alone (older form). */
      webhook?: components['schemas']['CreateWebhook'] | string;
      proxy?: components['schemas']['ProxyInput'];
      /** Host name or IP address of the proxy. */
      proxyHost?: string;
      /** TCP port of the proxy. */
      proxyPort?: number;
      /** How the gateway talks to the proxy. `socks` and `socks5h` mean the same as `socks5`. */
      proxyProtocol?: "http" | "https" | "socks5" | "socks" | "socks5h";
      /** User name for the proxy; empty when it needs none. */
      proxyUsername?: string;
      /** Password for the proxy; empty when it needs none. */
      proxyPassword?: string;
      websocket?: components['schemas']['CreateWebsocket'];
      /** Whether socket.io clients get events of the instance. */
      websocketEnabled?: boolean;
      /** Whether socket.io clients get events of the instance. */
      websocket_enabled?: boolean;
      /** Names of the events for socket.io clients. Missing or empty means all. */
      websocketEvents?: components['schemas']['EventName'][];
      /** Names of the events for socket.io clients. Missing or empty means all. */
      websocket_events?: components['schemas']['EventName'][];
      /** Address with http or https to which events are posted. */
      webhookUrl?: string;
      /** Whether the name of the event is appended to the address, such as `/messages-upsert`. */
      webhookByEvents?: boolean;
      /** Whether the name of the event is appended to the address, such as `/messages-upsert`. */
      webhook_by_events?: boolean;
      /** Whether posts contain the files of their messages as base64. */
      webhookBase64?: boolean;
      /** Whether posts contain the files of their messages as base64. */
      webhook_base64?: boolean;
      /** Names of the subscribed events. Missing or empty means all. */
      webhookEvents?: components['schemas']['EventName'][];
      /** Names of the subscribed events. */
      events?: components['schemas']['EventName'][];
    };
    /** Events for the socket.io clients of the instance. */
    CreateWebsocket: {
      /** Whether events are sent. The default is true. */
      enabled?: boolean;
      /** Names of the subscribed events. Missing or empty means all. */
      events?: components['schemas']['EventName'][];
    };
    /** Answer to a body in the older form. */
    CreatedInstanceV1: {
      /** The new instance. */
      instance: {
        /** Name under which the instance was created, as in the paths of the API. */
        instanceName: string;
        /** UUID that the gateway gave the instance when it was created. */
        instanceId: string;
        /** Kind of session, always `WHATSAPP-BAILEYS`. */
        integration: string;
        /** Always empty, because the gateway has no business API of the platform. */
        webhook_wa_business?: null;
        /** Always empty, because the gateway has no business API of the platform. */
        access_token_wa_business?: string;
        /** Always `created`. */
        status: "created";
      };
      /** Holds the key of the instance. Missing when the key of the request lacks a scope. */
      hash?: {
        /** Key of the instance, for the header `apikey`. */
        apikey: string;
      };
      /** Webhook of the new instance. */
      webhook: {
        /** Address with http or https to which events are posted. */
        webhook?: string;
        /** Whether the name of the event is appended to the address, such as `/messages-upsert`. */
        webhook_by_events?: boolean;
        /** Whether posts contain the files of their messages as base64. */
        webhook_base64?: boolean;
        /** Names of the subscribed events. */
        events?: string[];
      };
      /** Events for socket.io clients; empty when none are configured. */
      websocket?: {
        /** Whether socket.io clients get events of the instance. */
        enabled?: boolean;
        /** Names of the subscribed events. */
        events?: string[];
      };
      /** Always empty, because the gateway does not have this transport. */
      rabbitmq?: {
        /** Always false, because the gateway does not have this feature. */
        enabled?: boolean;
      };
      /** Always empty, because the gateway does not have this transport. */
      sqs?: {
        /** Always false, because the gateway does not have this feature. */
        enabled?: boolean;
      };
      /** Always disabled, because the gateway does not have this feature. */
      typebot?: {
        /** Always false, because the gateway does not have this feature. */
        enabled?: boolean;
      };
      /** Behavior of the new instance. */
      settings: {
        /** Whether incoming calls are rejected. */
        reject_call: boolean;
        /** Text that is sent to rejected callers; empty sends none. */
        msg_call: string;
        /** Whether events of groups are omitted. */
        groups_ignore: boolean;
        /** Whether the account is shown as online while it is connected. */
        always_online: boolean;
        /** Whether incoming messages are marked as read. */
        read_messages: boolean;
        /** Whether statuses of contacts are reported and marked as seen. */
        read_status: boolean;
        /** Whether the phone is asked for its whole history at the next link. */
        sync_full_history: boolean;
        /** Whether posts of followed channels are reported. */
        read_channels?: boolean;
      };
      qrcode?: components['schemas']['QrCode'];
    };
    /** Settings in force. */
    InstanceSettings: {
      /** Whether incoming calls are rejected. */
      rejectCall: boolean;
      /** Text that is sent to rejected callers; empty sends none. */
      msgCall: string;
      /** Whether events of groups are omitted. */
      groupsIgnore: boolean;
      /** Whether the account is shown as online while it is connected. */
      alwaysOnline: boolean;
      /** Whether incoming messages are marked as read. */
      readMessages: boolean;
      /** Whether statuses of contacts are reported and marked as seen. */
      readStatus: boolean;
      /** Whether the phone is asked for its whole history at the next link. */
      syncFullHistory: boolean;
      /** Whether posts of followed channels are reported. */
      readChannels?: boolean;
    };
    /** Answer to a body in the newer form. */
    CreatedInstanceV2: {
      /** The new instance. */
      instance: {
        /** Name under which the instance was created, as in the paths of the API. */
        instanceName: string;
        /** UUID that the gateway gave the instance when it was created. */
        instanceId: string;
        /** Kind of session, always `WHATSAPP-BAILEYS`. */
        integration: string;
        /** Always empty, because the gateway has no business API of the platform. */
        webhookWaBusiness?: null;
        /** Always empty, because the gateway has no business API of the platform. */
        accessTokenWaBusiness?: string;
        status: components['schemas']['PublicState'];
      };
      /** Key of the instance, for the header `apikey`. Missing when the key of the request lacks a scope. */
      hash?: string;
      /** Configuration of the main webhook. */
      webhook: {
        /** Address with http or https to which events are posted. */
        webhookUrl?: string;
        /** Extra headers of every post, by name. */
        webhookHeaders?: { [name: string]: string };
        /** Whether the name of the event is appended to the address, such as `/messages-upsert`. */
        webhookByEvents?: boolean;
        /** Whether posts contain the files of their messages as base64. */
        webhookBase64?: boolean;
      };
      /** Events for socket.io clients; empty when none are configured. */
      websocket?: {
        /** Whether socket.io clients get events of the instance. */
        enabled?: boolean;
        /** Names of the subscribed events. */
        events?: string[];
      };
      /** Always empty, because the gateway does not have this transport. */
      rabbitmq?: {
        /** Always false, because the gateway does not have this feature. */
        enabled?: boolean;
      };
      /** Always empty, because the gateway does not have this transport. */
      sqs?: {
        /** Always false, because the gateway does not have this feature. */
        enabled?: boolean;
      };
      settings: components['schemas']['InstanceSettings'];
      qrcode?: components['schemas']['QrCode'];
    };
    /** State of one instance. */
    ConnectionState: {
      /** The instance and its connection. */
      instance: {
        /** Name under which the instance was created, as in the paths of the API. */
        instanceName: string;
        state: components['schemas']['PublicState'];
      };
      passkey?: components['schemas']['PasskeyStage'];
    };
    /** The stage of a link with a passkey. `required`: the owner has to answer the request; `verifying`: the platform and the phone check the answer; `confirm`: the owner has to compare the code; `confirmed`: the phone may link the instance. */
    PasskeyStage: "required" | "verifying" | "confirm" | "confirmed";
    /** The argument `publicKey` of `navigator.credentials.get()` in the JSON form of WebAuthn (`PublicKeyCredential.parseRequestOptionsFromJSON()` reads it). Bytes are base64url. */
    PasskeyRequest: {
      /** Random bytes that the passkey signs, in base64url. */
      challenge: string;
      /** How long the browser may take, in milliseconds. */
      timeout?: number;
      /** Domain of the passkey, such as `whatsapp.com`. */
      rpId: string;
      /** The passkeys of the account. With an empty list, the owner chooses in the browser. */
      allowCredentials: {
        /** Credential id in base64url. */
        id: string;
        /** Always `public-key`. */
        type: "public-key";
        /** How the browser can reach the passkey, as WebAuthn defines it. */
        transports?: string[];
      }[];
      /** Whether the browser must verify the user, as WebAuthn defines it. */
      userVerification: "required" | "preferred" | "discouraged";
      /** Extensions of WebAuthn that the platform asks for. */
      extensions?: { [name: string]: unknown };
    };
    /** A link with a passkey that is in progress. */
    PasskeyLink: {
      /** Name under which the instance was created, as in the paths of the API. */
      instance: string;
      stage: components['schemas']['PasskeyStage'];
      request: components['schemas']['PasskeyRequest'];
      /** When linking ends (ISO 8601, UTC); new QR codes follow then. */
      expiresAt: string;
    };
    /** The code of a link with a passkey. */
    PasskeyCode: {
      /** Name under which the instance was created, as in the paths of the API. */
      instance: string;
      stage: components['schemas']['PasskeyStage'];
      /** The code that the phone shows, such as `4K2D-93MX`. */
      code: string;
      /** When linking ends (ISO 8601, UTC); new QR codes follow then. */
      expiresAt: string;
    };
    /** The code that was compared with the phone. */
    ConfirmPasskeyBody: {
      /** Code as the phone shows it, with or without the dash. */
      code: string;
    };
    /** The assertion of the owner's browser, as `PublicKeyCredential.toJSON()` returns it. Bytes are base64url without padding. Other members are ignored. */
    PasskeyAssertion: {
      /** Credential id in base64url. */
      id: string;
      /** The same as `id`. */
      rawId: string;
      /** Always `public-key`. */
      type: "public-key";
      /** What the authenticator signed. */
      response: {
        /** Client data in base64url, with type `webauthn.get`, the challenge of the request, and the origin `https://web.whatsapp.com`. */
        clientDataJSON: string;
        /** Authenticator data in base64url, for the domain in `rpId`, with the owner present and verified. */
        authenticatorData: string;
        /** Signature of the authenticator in base64url. */
        signature: string;
        /** User handle of the passkey in base64url, or null. */
        userHandle?: string | null;
      };
    };
    /** One instance: the interface's record under `instance`, the same facts as flat fields for clients that read those, and what this gateway adds (`phase` … `platformVersion`). Keys are shown to the global key and to the instance's own key, unless the operator masks them. */
    InstanceRecord: {
      /** The record of the interface. */
      instance: {
        /** Name under which the instance was created, as in the paths of the API. */
        instanceName: string;
        /** UUID that the gateway gave the instance when it was created. */
        instanceId: string;
        /** JID of the linked account. */
        owner?: string;
        /** Name in the profile of the account; `not loaded` while it is not known. */
        profileName?: string;
        /** The address of the profile picture; null when it is hidden or missing. */
        profilePictureUrl?: string | null;
        /** Text below the profile name; present while the instance is open. */
        profileStatus?: string;
        status: components['schemas']['PublicState'];
        /** Public address of the gateway. */
        serverUrl?: string;
        /** Key of the instance, for the header `apikey`. */
        apikey?: string;
        /** Kind of session and its key. */
        integration?: {
          /** Kind of session, always `WHATSAPP-BAILEYS`. */
          integration?: string;
          /** Key of the instance, for the header `apikey`. */
          token?: string;
          /** Always empty, because the gateway has no business API of the platform. */
          webhook_platform_business?: string;
          /** Always empty, because the gateway has no business API of the platform. */
          webhook_wa_business?: string;
        };
      };
      /** UUID that the gateway gave the instance when it was created. */
      id: string;
      /** Name under which the instance was created, as in the paths of the API. */
      name: string;
      connectionStatus: components['schemas']['PublicState'];
      /** JID of the linked account; null when none was linked. */
      ownerJid?: string | null;
      /** The name in the profile of the account. */
      profileName?: string | null;
      /** The address of the profile picture; null when it is hidden or missing. */
      profilePicUrl?: string | null;
      /** Kind of session, always `WHATSAPP-BAILEYS`. */
      integration: string;
      /** Phone number that the instance was created with, in E.164 digits without `+`; null without one. */
      number?: string | null;
      /** Always null, because the gateway has no business API of the platform. */
      businessId?: string | null;
      /** Key of the instance, for the header `apikey`; null when the caller may not see it. */
      token?: string | null;
      /** Name of this gateway, `CLIENT_NAME`. */
      clientName?: string;
      /** Close code of the platform at the last disconnect; null when there was none. */
      disconnectionReasonCode?: number | null;
      /** Last disconnect as JSON text; null when there was none. */
      disconnectionObject?: string | null;
      /** When the connection last closed (ISO 8601, UTC); null when it never did. */
      disconnectionAt?: string | null;
      /** When the record was created (ISO 8601, UTC). */
      createdAt?: string;
      /** When the record was last changed (ISO 8601, UTC). */
      updatedAt?: string;
      /** Always null, because the gateway does not have this feature. */
      Chatwoot?: null;
      /** Proxy of the instance, without its password; null when it has none. */
      Proxy?: components['schemas']['ProxyRecord'] | null;
      /** Always null, because the gateway does not have this transport. */
      Rabbitmq?: null;
      /** Always null, because the gateway does not have this transport. */
      Sqs?: null;
      /** Events for socket.io clients; null when none were configured. */
      Websocket?: components['schemas']['WebsocketRecord'] | null;
      /** Behavior of the instance. */
      Setting?: {
        /** UUID of the instance. */
        id?: string;
        /** Whether incoming calls are rejected. */
        rejectCall: boolean;
        /** Text that is sent to rejected callers; empty sends none. */
        msgCall: string;
        /** Whether events of groups are omitted. */
        groupsIgnore: boolean;
        /** Whether the account is shown as online while it is connected. */
        alwaysOnline: boolean;
        /** Whether incoming messages are marked as read. */
        readMessages: boolean;
        /** Whether statuses of contacts are reported and marked as seen. */
        readStatus: boolean;
        /** Whether the phone is asked for its whole history at the next link. */
        syncFullHistory: boolean;
        /** Whether posts of followed channels are reported. */
        readChannels?: boolean;
        /** When the record was created (ISO 8601, UTC). */
        createdAt?: string;
        /** When the record was last changed (ISO 8601, UTC). */
        updatedAt?: string;
        /** UUID that the gateway gave the instance when it was created. */
        instanceId?: string;
      };
      /** Numbers of stored records. */
      _count?: {
        /** Number of stored messages. */
        Message: number;
        /** Number of stored contacts. */
        Contact: number;
        /** Number of stored chats. */
        Chat: number;
      };
      /** State of the instance in detail: stopped, connecting, pairing, open, backoff, closing, logged_out, blocked or deleted. */
      phase?: string;
      /** Why the instance is not connected, as a stable word such as `logged_out`; null when nothing failed. */
      cause?: string | null;
      /** The cause as a sentence; null when there is none. */
      message?: string | null;
      /** What a person has to do; null or absent when nothing is needed. */
      userAction?: string | null;
      /** When the next automatic attempt starts (ISO 8601, UTC); null or absent when there is none. */
      retryAt?: string | null;
      passkey?: components['schemas']['PasskeyStage'];
      /** Name of the node that has the instance, as in `GET /cluster`; null when none has it at the moment. Only where several nodes share the database, and for the global key. */
      node?: string | null;
      /** Client version presented to the platform. */
      platformVersion?: string | null;
      /** Source of `platformVersion`: the setting `PLATFORM_VERSION`, the platform, a stored answer of the platform, or the library. The last two may be outdated, and the platform sends an outdated client no QR code. */
      platformVersionSource?: "override" | "platform" | "cache" | "baileys";
      restriction?: components['schemas']['AccountRestriction'];
    };
    /** Restriction of the account by the platform. Absent while the platform reported none, or without a connection. */
    AccountRestriction: {
      /** Whether the account may not write to people it has no chat with. */
      restricted: boolean;
      /** Kind of the restriction, as the platform names it. */
      reason: string;
      /** When the restriction ends (ISO 8601, UTC); null when it is not known. */
      until: string | null;
      /** Number of chats that the account may start in a period. */
      newChatQuota?: {
        /** Number of new chats that are allowed in the period. */
        total: number;
        /** Number of new chats that were started in the period. */
        used: number;
        /** When the period ends (ISO 8601, UTC); null when it is not known. */
        until: string | null;
      };
    };
    /** The short record of an instance, for lists. */
    InstanceSummary: {
      /** UUID that the gateway gave the instance when it was created. */
      id: string;
      /** Name under which the instance was created, as in the paths of the API. */
      name: string;
      connectionStatus: components['schemas']['PublicState'];
      /** JID of the linked account; null when none was linked. */
      ownerJid: string | null;
      /** The name in the profile of the account. */
      profileName: string | null;
      /** Phone number that the instance was created with, in E.164 digits without `+`; null without one. */
      number: string | null;
      /** State of the instance in detail: stopped, connecting, pairing, open, backoff, closing, logged_out, blocked or deleted. */
      phase: string;
      /** Why the instance is not connected, as a stable word such as `logged_out`; null when nothing failed. */
      cause: string | null;
      /** The cause as a sentence; null when there is none. */
      message: string | null;
      /** What a person has to do; null or absent when nothing is needed. */
      userAction: string | null;
      /** When the next automatic attempt starts (ISO 8601, UTC); null or absent when there is none. */
      retryAt: string | null;
      passkey?: components['schemas']['PasskeyStage'];
      /** Name of the node that has the instance, as in `GET /cluster`; null when none has it at the moment. Only where several nodes share the database, and for the global key. */
      node?: string | null;
      restriction?: components['schemas']['AccountRestriction'];
    };
    /** One page of the list of instances. */
    InstancePage: {
      /** The page and its position. */
      instances: {
        /** Number of instances that match. */
        total: number;
        /** Number of pages of this size. */
        pages: number;
        /** Number of the returned page, from 1. */
        currentPage: number;
        /** Number of instances by state that match the other filters, regardless of `state`. */
        states: {
          /** Number of connected instances. */
          open: number;
          /** Number of instances that connect or wait for a scan. */
          connecting: number;
          /** Number of instances without a connection. */
          close: number;
        };
        /** The instances of this page, oldest first. */
        records: (components['schemas']['InstanceRecord'] | components['schemas']['InstanceSummary'])[];
      };
    };
    /** The presence to show. */
    SetPresenceBody: {
      presence: components['schemas']['Presence'];
    };
    /** Outcome of logout and delete. */
    OperationResult: {
      /** Always `SUCCESS`. */
      status: string;
      /** False on success. */
      error: boolean;
      /** Holds the result as a sentence. */
      response: {
        /** Sentence that says what happened. */
        message: string;
      };
    };
    /** The message to answer. Only `key.id` is needed; without `message` it is looked up in the store. */
    QuotedMessage: {
      /** Key that identifies the message. */
      key: {
        /** Chat of the message: number, JID or LID. */
        remoteJid?: string;
        /** Whether this account sent the message. */
        fromMe?: boolean;
        /** Identifier of the message, as in its `key`. */
        id: string;
        /** JID of the author of a message in a group. */
        participant?: string;
      };
      /** Content of the quoted message, as in `MessageContent`. */
      message?: {
        /** The text of the quoted message. */
        conversation?: string;
      } & { [name: string]: unknown };
    };
    /** Whom to notify in a group. The text itself is not changed; write `@number` in it. */
    Mentions: {
      /** All participants; takes precedence. */
      everyOne?: boolean;
      /** Mentions all who are in the group when it arrives, without a list. */
      all?: boolean;
      /** Phone numbers with country code, LIDs or user names (`@name`). An empty list mentions none. */
      mentioned?: string[];
    };
    /** Options that every send understands. */
    SendOptions: {
      /** Milliseconds to wait before sending; the answer waits too. The operator may set a lower bound. */
      delay?: number;
      presence?: components['schemas']['Presence'];
      /** False sends a link without a preview. */
      linkPreview?: boolean;
      quoted?: components['schemas']['QuotedMessage'];
      mentions?: components['schemas']['Mentions'];
    };
    /** Wrapped form: the text is in `textMessage`, and optional settings are in `options`. */
    SendTextBody: {
      number: components['schemas']['Recipient'];
      options?: components['schemas']['SendOptions'];
      /** Content of the text. */
      textMessage: {
        /** The text of the message. */
        text: string;
      };
    };
    /** Flat form: the fields of `textMessage` and `options` are at the top level. */
    SendTextFlatBody: {
      number: components['schemas']['Recipient'];
      /** The text of the message. */
      text: string;
      /** Milliseconds to wait before sending. */
      delay?: number;
      presence?: components['schemas']['Presence'];
      /** False sends a link without a preview. */
      linkPreview?: boolean;
      quoted?: components['schemas']['QuotedMessage'];
      /** Mentions all members of the group. */
      mentionsEveryOne?: boolean;
      /** Mentions all members of the group without a list. */
      mentionsAll?: boolean;
      /** Other spelling of `mentionsEveryOne`. */
      everyOne?: boolean;
      /** The numbers, JIDs or user names of the mentioned users. */
      mentioned?: string[];
    };
    /** Content of a sent message in the flat form; as MessageContent, except that mediaKeyTimestamp is a number. */
    FlatMessageContent: {
      /** Text of a text message. */
      conversation?: string;
      /** An image, with the fields of the platform. */
      imageMessage?: {
        /** When the key of the file was created, in seconds since the epoch. */
        mediaKeyTimestamp?: number;
      } & { [name: string]: unknown };
      /** A video, with the fields of the platform. */
      videoMessage?: {
        /** Whether it is shown as a GIF. */
        gifPlayback?: boolean;
        /** When the key of the file was created, in seconds since the epoch. */
        mediaKeyTimestamp?: number;
      } & { [name: string]: unknown };
      /** A sound or a voice note, with the fields of `audioMessage` in `MessageContent`. */
      audioMessage?: {
        /** When the key of the file was created, in seconds since the epoch. */
        mediaKeyTimestamp?: number;
      } & { [name: string]: unknown };
      /** A document, with the fields of the platform. */
      documentMessage?: {
        /** When the key of the file was created, in seconds since the epoch. */
        mediaKeyTimestamp?: number;
      } & { [name: string]: unknown };
      /** A sticker, with the fields of the platform. */
      stickerMessage?: {
        /** When the key of the file was created, in seconds since the epoch. */
        mediaKeyTimestamp?: number;
      } & { [name: string]: unknown };
    } & { [name: string]: unknown };
    /** Result of a send in the flat form. */
    SentMessageFlat: {
      key: components['schemas']['MessageKey'];
      /** Name that the sender chose. */
      pushName?: string;
      message: components['schemas']['FlatMessageContent'];
      /** Quotes and mentions. */
      contextInfo?: { [name: string]: unknown };
      /** Name of the content object; `conversation` for every text. */
      messageType: string;
      /** When the message was sent, in seconds since the epoch. */
      messageTimestamp: number;
      /** UUID that the gateway gave the instance when it was created. */
      instanceId: string;
      /** Kind of device that sent the message: android, ios, web, desktop or unknown. */
      source: string;
      status: components['schemas']['MessageStatus'];
      /** Error code of the platform with `wait=ack` and the status ERROR (superset of the interface). */
      code?: string;
      /** Reason of the status ERROR, such as `account_restricted`. The page of error codes lists all. */
      reason?: string;
      /** Parts of the request that were left out. Absent when there are none (superset of the interface). */
      warnings?: components['schemas']['SendWarning'][];
    };
    /** The status of a message. */
    MessageStatusReport: {
      key: components['schemas']['MessageKey'];
      status?: components['schemas']['MessageStatus'];
      /** Statuses that the message reached, oldest first. */
      history: {
        status: components['schemas']['MessageStatus'];
        /** When the status was reached (ISO 8601, UTC). */
        at: string;
        /** JID of the group member whose receipt it was. */
        participant?: string;
        /** Error code of the platform, with the status ERROR. */
        code?: string;
        /** Reason of the status ERROR, such as `account_restricted`. The page of error codes lists all. */
        reason?: string;
      }[];
    };
    /** Wrapped form: the voice note is in `audioMessage`, and optional settings are in `options`. */
    SendAudioBody: {
      number: components['schemas']['Recipient'];
      /** Optional settings of the send. */
      options?: {
        /** Milliseconds to wait before sending. */
        delay?: number;
        presence?: components['schemas']['Presence'];
        quoted?: components['schemas']['QuotedMessage'];
        mentions?: components['schemas']['Mentions'];
        /** False sends the file as it is. Otherwise it is converted to mono Ogg/Opus. */
        encoding?: boolean;
        /** True lets the recipient listen to the voice note once. */
        viewOnce?: boolean;
      };
      /** Content of the voice note. */
      audioMessage: {
        /** The file: an address with http or https, base64, or a data URL. */
        audio: string;
      };
    };
    /** Flat form: the fields of `audioMessage` and `options` are at the top level. */
    SendAudioFlatBody: {
      number: components['schemas']['Recipient'];
      /** The file: an address with http or https, base64, or a data URL. */
      audio: string;
      /** False sends the file as it is. Otherwise it is converted to mono Ogg/Opus. */
      encoding?: boolean;
      /** True lets the recipient listen to the voice note once. */
      viewOnce?: boolean;
      /** Milliseconds to wait before sending. */
      delay?: number;
      presence?: components['schemas']['Presence'];
      quoted?: components['schemas']['QuotedMessage'];
      /** Mentions all members of the group. */
      mentionsEveryOne?: boolean;
      /** Mentions all members of the group without a list. */
      mentionsAll?: boolean;
      /** Other spelling of `mentionsEveryOne`. */
      everyOne?: boolean;
      /** The numbers, JIDs or user names of the mentioned users. */
      mentioned?: string[];
    };
    /** Wrapped form: the location is in `locationMessage`, and optional settings are in `options`. */
    SendLocationBody: {
      number: components['schemas']['Recipient'];
      options?: components['schemas']['SendOptions'];
      /** Content of the location. */
      locationMessage: {
        /** Name that the pin shows. */
        name?: string;
        /** Postal address that the pin shows. */
        address?: string;
        /** Latitude in degrees, from -90 to 90. */
        latitude: number;
        /** Longitude in degrees, from -180 to 180. */
        longitude: number;
      };
    };
    /** Flat form: the fields of `locationMessage` and `options` are at the top level. */
    SendLocationFlatBody: {
      number: components['schemas']['Recipient'];
      /** Name that the pin shows. */
      name?: string;
      /** Postal address that the pin shows. */
      address?: string;
      /** Latitude in degrees, from -90 to 90. */
      latitude: number;
      /** Longitude in degrees, from -180 to 180. */
      longitude: number;
      /** Milliseconds to wait before sending. */
      delay?: number;
      presence?: components['schemas']['Presence'];
      quoted?: components['schemas']['QuotedMessage'];
      /** Mentions all members of the group. */
      mentionsEveryOne?: boolean;
      /** Mentions all members of the group without a list. */
      mentionsAll?: boolean;
      /** Other spelling of `mentionsEveryOne`. */
      everyOne?: boolean;
      /** The numbers, JIDs or user names of the mentioned users. */
      mentioned?: string[];
    };
    /** Wrapped form: the sticker is in `stickerMessage`, and optional settings are in `options`. */
    SendStickerBody: {
      number: components['schemas']['Recipient'];
      options?: components['schemas']['SendOptions'];
      /** Content of the sticker. */
      stickerMessage: {
        /** The file: an address with http or https, base64, or a data URL. */
        image: string;
      };
    };
    /** Flat form: the file is in `sticker`, and the fields of `options` are at the top level. */
    SendStickerFlatBody: {
      number: components['schemas']['Recipient'];
      /** The file: an address with http or https, base64, or a data URL. */
      sticker: string;
      /** Milliseconds to wait before sending. */
      delay?: number;
      presence?: components['schemas']['Presence'];
      quoted?: components['schemas']['QuotedMessage'];
      /** Mentions all members of the group. */
      mentionsEveryOne?: boolean;
      /** Mentions all members of the group without a list. */
      mentionsAll?: boolean;
      /** Other spelling of `mentionsEveryOne`. */
      everyOne?: boolean;
      /** The numbers, JIDs or user names of the mentioned users. */
      mentioned?: string[];
    };
    /** Wrapped form: the file is in `mediaMessage`, and optional settings are in `options`. */
    SendMediaBody: {
      number: components['schemas']['Recipient'];
      /** Optional settings of the send. */
      options?: components['schemas']['SendOptions'] & {
        /** True lets the recipient open an image, a video or an audio file once. */
        viewOnce?: boolean;
      };
      /** Content of the message with the file. */
      mediaMessage: {
        /** Kind of message. The file must be of this kind; `document` takes any file. */
        mediatype: "image" | "document" | "video" | "audio";
        /** The file: an address with http or https, base64, or a data URL. */
        media: string;
        /** MIME type of a document. The type of the other kinds is read from their bytes. */
        mimetype?: string;
        /** File name that the recipient of a document sees. */
        fileName?: string;
        /** Text below the file. */
        caption?: string;
      };
    };
    /** Flat form: the fields of `mediaMessage` and `options` are at the top level. */
    SendMediaFlatBody: {
      number: components['schemas']['Recipient'];
      /** Kind of message. The file must be of this kind; `document` takes any file. */
      mediatype: "image" | "document" | "video" | "audio";
      /** The file: an address with http or https, base64, or a data URL. */
      media: string;
      /** MIME type of a document. The type of the other kinds is read from their bytes. */
      mimetype?: string;
      /** File name that the recipient of a document sees. */
      fileName?: string;
      /** Text below the file. */
      caption?: string;
      /** True lets the recipient open an image, a video or an audio file once. */
      viewOnce?: boolean;
      /** Milliseconds to wait before sending. */
      delay?: number;
      presence?: components['schemas']['Presence'];
      quoted?: components['schemas']['QuotedMessage'];
      /** Mentions all members of the group. */
      mentionsEveryOne?: boolean;
      /** Mentions all members of the group without a list. */
      mentionsAll?: boolean;
      /** Other spelling of `mentionsEveryOne`. */
      everyOne?: boolean;
      /** The numbers, JIDs or user names of the mentioned users. */
      mentioned?: string[];
    };
    /** Key of a message in a request. A stored message needs only `id`. */
    TargetKey: {
      /** Chat of the message: number, JID or LID. */
      remoteJid?: string;
      /** Whether this account sent the message. */
      fromMe?: boolean;
      /** Identifier of the message, as in its `key`. */
      id: string;
      /** JID of the author of a message in a group. */
      participant?: string;
    };
    /** Wrapped form: the key of the message is in `message`, and optional settings are in `options`. */
    ForwardBody: {
      number: components['schemas']['Recipient'];
      options?: components['schemas']['SendOptions'];
      /** Holds the key of the message to forward. */
      message: {
        key: components['schemas']['TargetKey'];
      };
    };
    /** Flat form: the identifier of the message and the fields of `options` are at the top level. */
    ForwardFlatBody: {
      number: components['schemas']['Recipient'];
      /** Identifier of the message to forward. `key` may be given instead. */
      id: string;
      /** Milliseconds to wait before sending. */
      delay?: number;
      presence?: components['schemas']['Presence'];
      quoted?: components['schemas']['QuotedMessage'];
      /** Mentions all members of the group. */
      mentionsEveryOne?: boolean;
      /** Other spelling of `mentionsEveryOne`. */
      everyOne?: boolean;
      /** Mentions all members of the group without a list. */
      mentionsAll?: boolean;
      /** The numbers, JIDs or user names of the mentioned users. */
      mentioned?: string[];
    };
    /** Wrapped form: the files are in `albumMessage`, and optional settings are in `options`. */
    SendAlbumBody: {
      number: components['schemas']['Recipient'];
      options?: components['schemas']['SendOptions'];
      /** Content of the album. */
      albumMessage: {
        /** The files of the album in their order. */
        items: ({
          /** Kind of message. The file must be of this kind; `document` takes any file. */
          mediatype: "image" | "video";
          /** The file: an address with http or https, base64, or a data URL. */
          media: string;
          /** Text below the file. */
          caption?: string;
        })[];
      };
    };
    /** Flat form: the fields of `albumMessage` and `options` are at the top level. */
    SendAlbumFlatBody: {
      number: components['schemas']['Recipient'];
      /** The files of the album in their order. */
      items: ({
        /** Kind of message. The file must be of this kind; `document` takes any file. */
        mediatype: "image" | "video";
        /** The file: an address with http or https, base64, or a data URL. */
        media: string;
        /** Text below the file. */
        caption?: string;
      })[];
      /** Milliseconds to wait before sending. */
      delay?: number;
      presence?: components['schemas']['Presence'];
      quoted?: components['schemas']['QuotedMessage'];
      /** Mentions all members of the group. */
      mentionsEveryOne?: boolean;
      /** Other spelling of `mentionsEveryOne`. */
      everyOne?: boolean;
      /** Mentions all members of the group without a list. */
      mentionsAll?: boolean;
      /** The numbers, JIDs or user names of the mentioned users. */
      mentioned?: string[];
    };
    /** Result of an album in the wrapped form. */
    SentAlbum: {
      key: components['schemas']['MessageKey'];
      message: components['schemas']['MessageContent'];
      /** When the message was sent, in seconds since the epoch. */
      messageTimestamp: string;
      status: components['schemas']['MessageStatus'];
      /** Error code of the platform with `wait=ack` and the status ERROR (superset of the interface). */
      code?: string;
      /** Reason of the status ERROR, such as `account_restricted`. The page of error codes lists all. */
      reason?: string;
      /** Parts of the request that were left out. Absent when there are none (superset of the interface). */
      warnings?: components['schemas']['SendWarning'][];
      /** The messages of the files in their order. */
      items: components['schemas']['SentMessage'][];
    };
    /** Result of an album in the flat form. */
    SentAlbumFlat: {
      key: components['schemas']['MessageKey'];
      /** Name that the sender chose. */
      pushName?: string;
      message: components['schemas']['FlatMessageContent'];
      /** Quotes and mentions. */
      contextInfo?: { [name: string]: unknown };
      /** Name of the content object, such as `imageMessage`. */
      messageType: string;
      /** When the message was sent, in seconds since the epoch. */
      messageTimestamp: number;
      /** UUID that the gateway gave the instance when it was created. */
      instanceId: string;
      /** Kind of device that sent the message: android, ios, web, desktop or unknown. */
      source: string;
      status: components['schemas']['MessageStatus'];
      /** Error code of the platform with `wait=ack` and the status ERROR (superset of the interface). */
      code?: string;
      /** Reason of the status ERROR, such as `account_restricted`. The page of error codes lists all. */
      reason?: string;
      /** Parts of the request that were left out. Absent when there are none (superset of the interface). */
      warnings?: components['schemas']['SendWarning'][];
      /** The messages of the files in their order. */
      items: components['schemas']['SentMessageFlat'][];
    };
    /** The message, and how long it is pinned. */
    PinMessageBody: {
      key: components['schemas']['TargetKey'];
      /** False removes the pin. */
      pin?: boolean;
      /** How long the message stays pinned, in seconds: a day, a week (the default) or 30 days. */
      duration?: 86400 | 604800 | 2592000;
    };
    /** Wrapped form: the video note is in `ptvMessage`, and optional settings are in `options`. */
    SendPtvBody: {
      number: components['schemas']['Recipient'];
      options?: components['schemas']['SendOptions'];
      /** Content of the video note. */
      ptvMessage: {
        /** The file: an address with http or https, base64, or a data URL. */
        video: string;
      };
    };
    /** Flat form: the fields of `ptvMessage` and `options` are at the top level. */
    SendPtvFlatBody: {
      number: components['schemas']['Recipient'];
      /** The file: an address with http or https, base64, or a data URL. */
      video: string;
      /** Milliseconds to wait before sending. */
      delay?: number;
      presence?: components['schemas']['Presence'];
      quoted?: components['schemas']['QuotedMessage'];
      /** Mentions all members of the group. */
      mentionsEveryOne?: boolean;
      /** Mentions all members of the group without a list. */
      mentionsAll?: boolean;
      /** Other spelling of `mentionsEveryOne`. */
      everyOne?: boolean;
      /** The numbers, JIDs or user names of the mentioned users. */
      mentioned?: string[];
    };
    /** Wrapped form: the contacts are in `contactMessage`, and optional settings are in `options`. */
    SendContactBody: {
      number: components['schemas']['Recipient'];
      options?: components['schemas']['SendOptions'];
      /** Contacts to send, one card each. */
      contactMessage: {
        /** Name that the card shows. */
        fullName: string;
        /** Phone number as the card shows it. */
        phoneNumber: string;
        /** Phone number of the account in E.164 digits without `+`. Default: the digits of `phoneNumber`. */
        wuid?: string;
        /** Company or organization on the card. */
        organization?: string;
        /** E-mail address on the card. */
        email?: string;
        /** Website on the card. */
        url?: string;
      }[];
    };
    /** Flat form: the contacts are in `contact`, and the fields of `options` are at the top level. */
    SendContactFlatBody: {
      number: components['schemas']['Recipient'];
      /** Contacts to send, one card each. */
      contact: {
        /** Name that the card shows. */
        fullName: string;
        /** Phone number as the card shows it. */
        phoneNumber: string;
        /** Phone number of the account in E.164 digits without `+`. Default: the digits of `phoneNumber`. */
        wuid?: string;
        /** Company or organization on the card. */
        organization?: string;
        /** E-mail address on the card. */
        email?: string;
        /** Website on the card. */
        url?: string;
      }[];
      /** Milliseconds to wait before sending. */
      delay?: number;
      presence?: components['schemas']['Presence'];
      quoted?: components['schemas']['QuotedMessage'];
      /** Mentions all members of the group. */
      mentionsEveryOne?: boolean;
      /** Mentions all members of the group without a list. */
      mentionsAll?: boolean;
      /** Other spelling of `mentionsEveryOne`. */
      everyOne?: boolean;
      /** The numbers, JIDs or user names of the mentioned users. */
      mentioned?: string[];
    };
    /** Wrapped form: the reaction is in `reactionMessage`, and optional settings are in `options`. */
    SendReactionBody: {
      /** Optional settings of the send. */
      options?: {
        /** Milliseconds to wait before sending. */
        delay?: number;
        presence?: components['schemas']['Presence'];
      };
      /** The emoji and the key of the message. */
      reactionMessage: {
        /** Key that identifies the message to react to. */
        key: {
          /** Chat of the message: number, JID or LID. */
          remoteJid: string;
          /** Whether this account sent the message. */
          fromMe?: boolean;
          /** Identifier of the message, as in its `key`. */
          id: string;
          /** JID of the author of a message in a group. */
          participant?: string;
        };
        /** One emoji. An empty text removes the reaction. */
        reaction: string;
      };
    };
    /** Flat form: the fields of `reactionMessage` and `options` are at the top level. */
    SendReactionFlatBody: {
      /** Key that identifies the message to react to. */
      key: {
        /** Chat of the message: number, JID or LID. */
        remoteJid: string;
        /** Whether this account sent the message. */
        fromMe?: boolean;
        /** Identifier of the message, as in its `key`. */
        id: string;
        /** JID of the author of a message in a group. */
        participant?: string;
      };
      /** One emoji. An empty text removes the reaction. */
      reaction: string;
      /** Milliseconds to wait before sending. */
      delay?: number;
      presence?: components['schemas']['Presence'];
    };
    /** Wrapped form: the poll is in `pollMessage`, and optional settings are in `options`. */
    SendPollBody: {
      number: components['schemas']['Recipient'];
      options?: components['schemas']['SendOptions'];
      /** Question and answers of the poll. */
      pollMessage: {
        /** Question of the poll. */
        name: string;
        /** Number of options that one person may choose. 0 means any number; the default is 1. */
        selectableCount?: number;
        /** Answers to choose from, in their order. */
        values: string[];
      };
    };
    /** Flat form: the fields of `pollMessage` and `options` are at the top level. */
    SendPollFlatBody: {
      number: components['schemas']['Recipient'];
      /** Question of the poll. */
      name: string;
      /** Number of options that one person may choose. 0 means any number; the default is 1. */
      selectableCount?: number;
      /** Answers to choose from, in their order. */
      values: string[];
      /** Milliseconds to wait before sending. */
      delay?: number;
      presence?: components['schemas']['Presence'];
      quoted?: components['schemas']['QuotedMessage'];
      /** Mentions all members of the group. */
      mentionsEveryOne?: boolean;
      /** Mentions all members of the group without a list. */
      mentionsAll?: boolean;
      /** Other spelling of `mentionsEveryOne`. */
      everyOne?: boolean;
      /** The numbers, JIDs or user names of the mentioned users. */
      mentioned?: string[];
    };
    /** Wrapped form: the status is in `statusMessage`. */
    SendStatusBody: {
      /** Content of the status and who sees it. */
      statusMessage: {
        /** Kind of the status. */
        type: "text" | "image" | "video" | "audio";
        /** Text of a text status, at most 65,536 characters. Otherwise the file as an address, base64 or a data URL. */
        content: string;
        /** Text below the file. */
        caption?: string;
        /** Background color of a text or a voice note, as `#rrggbb`. */
        backgroundColor?: string;
        /** Font of a text, as the number that the platform gives it. The default is 0. */
        font?: number;
        /** Users who see the status, as numbers or JIDs. */
        statusJidList?: string[];
        /** True shows the status to all contacts whose name is known; `statusJidList` is then ignored. */
        allContacts?: boolean;
      };
    };
    /** Flat form: the fields of `statusMessage` are at the top level. */
    SendStatusFlatBody: {
      /** Kind of the status. */
      type: "text" | "image" | "video" | "audio";
      /** Text of a text status, at most 65,536 characters. Otherwise the file as an address, base64 or a data URL. */
      content: string;
      /** Text below the file. */
      caption?: string;
      /** Background color of a text or a voice note, as `#rrggbb`. */
      backgroundColor?: string;
      /** Font of a text, as the number that the platform gives it. The default is 0. */
      font?: number;
      /** Users who see the status, as numbers or JIDs. */
      statusJidList?: string[];
      /** True shows the status to all contacts whose name is known; `statusJidList` is then ignored. */
      allContacts?: boolean;
    };
    /** Wrapped form: the list is in `listMessage`, and optional settings are in `options`. */
    SendListBody: {
      number: components['schemas']['Recipient'];
      options?: components['schemas']['SendOptions'];
      /** Text, button and rows of the list. */
      listMessage: {
        /** Heading of the message. */
        title: string;
        /** Text of the message, below the heading. */
        description?: string;
        /** Text on the button that opens the list. */
        buttonText: string;
        /** Text below the content. */
        footerText?: string;
        /** Groups of rows, in their order. */
        sections: {
          /** Heading of the section. */
          title: string;
          /** Choices of this section, in their order. */
          rows: {
            /** Text of the row. */
            title: string;
            /** Small text below the row. */
            description?: string;
            /** Id that comes back when the row is chosen. Rows may share an id. */
            rowId: string;
          }[];
        }[];
      };
    };
    /** Flat form: the fields of `listMessage` and `options` are at the top level. */
    SendListFlatBody: {
      number: components['schemas']['Recipient'];
      /** Heading of the message. */
      title: string;
      /** Text of the message, below the heading. */
      description?: string;
      /** Text on the button that opens the list. */
      buttonText: string;
      /** Text below the content. */
      footerText?: string;
      /** Groups of rows, in their order. */
      sections: {
        /** Heading of the section. */
        title: string;
        /** Choices of this section, in their order. */
        rows: {
          /** Text of the row. */
          title: string;
          /** Small text below the row. */
          description?: string;
          /** Id that comes back when the row is chosen. Rows may share an id. */
          rowId: string;
        }[];
      }[];
      /** Milliseconds to wait before sending. */
      delay?: number;
      presence?: components['schemas']['Presence'];
      quoted?: components['schemas']['QuotedMessage'];
      /** Mentions all members of the group. */
      mentionsEveryOne?: boolean;
      /** Mentions all members of the group without a list. */
      mentionsAll?: boolean;
      /** Other spelling of `mentionsEveryOne`. */
      everyOne?: boolean;
      /** The numbers, JIDs or user names of the mentioned users. */
      mentioned?: string[];
    };
    /** Wrapped form: the text and its buttons are in `buttonMessage`, and optional settings are in `options`. */
    SendButtonsBody: {
      number: components['schemas']['Recipient'];
      options?: components['schemas']['SendOptions'];
      /** Text and buttons of the message. */
      buttonMessage: {
        /** Text above the description, or the whole text when there is no description. */
        title?: string;
        /** Text of the message. */
        description?: string;
        /** Text below the content. */
        footer?: string;
        /** Picture above the text: an address with http or https, base64, or a data URL. */
        thumbnailUrl?: string;
        /** The buttons in their order. */
        buttons: ({
          /** Kind of button. The default is `reply`. */
          type?: "reply" | "copy" | "url" | "call" | "pix";
          /** Text on the button. `text` and `buttonText` mean the same. */
          displayText?: string;
          /** Id of a reply button, which comes back when it is tapped. `buttonId` means the same. */
          id?: string;
          /** Address that a url button opens. */
          url?: string;
          /** Text that a copy button copies. */
          copyCode?: string;
          /** Phone number that a call button calls. */
          phoneNumber?: string;
          /** Currency of a PIX payment, such as `BRL`. */
          currency?: string;
          /** Name of the payee of a PIX payment. */
          name?: string;
          /** Kind of the PIX key. */
          keyType?: "phone" | "email" | "cpf" | "cnpj" | "random";
          /** PIX key of the payee. */
          key?: string;
        })[];
      };
    };
    /** Flat form: the fields of `buttonMessage` and `options` are at the top level. */
    SendButtonsFlatBody: {
      number: components['schemas']['Recipient'];
      /** Text above the description, or the whole text when there is no description. */
      title?: string;
      /** Text of the message. */
      description?: string;
      /** Text below the content. */
      footer?: string;
      /** Picture above the text: an address with http or https, base64, or a data URL. */
      thumbnailUrl?: string;
      /** The buttons in their order. */
      buttons: ({
        /** Kind of button. The default is `reply`. */
        type?: "reply" | "copy" | "url" | "call" | "pix";
        /** Text on the button. `text` and `buttonText` mean the same. */
        displayText?: string;
        /** Id of a reply button, which comes back when it is tapped. `buttonId` means the same. */
        id?: string;
        /** Address that a url button opens. */
        url?: string;
        /** Text that a copy button copies. */
        copyCode?: string;
        /** Phone number that a call button calls. */
        phoneNumber?: string;
        /** Currency of a PIX payment, such as `BRL`. */
        currency?: string;
        /** Name of the payee of a PIX payment. */
        name?: string;
        /** Kind of the PIX key. */
        keyType?: "phone" | "email" | "cpf" | "cnpj" | "random";
        /** PIX key of the payee. */
        key?: string;
      })[];
      /** Milliseconds to wait before sending. */
      delay?: number;
      presence?: components['schemas']['Presence'];
      quoted?: components['schemas']['QuotedMessage'];
      /** Mentions all members of the group. */
      mentionsEveryOne?: boolean;
      /** Mentions all members of the group without a list. */
      mentionsAll?: boolean;
      /** Other spelling of `mentionsEveryOne`. */
      everyOne?: boolean;
      /** The numbers, JIDs or user names of the mentioned users. */
      mentioned?: string[];
    };
    /** Wrapped form: the template is in `templateMessage`. */
    SendTemplateBody: {
      number: components['schemas']['Recipient'];
      /** Name and language of the template. */
      templateMessage: {
        /** Template to send, by its name. */
        name: string;
        /** Language code of the template, such as `en_US`. */
        language: string;
      };
    };
    /** Flat form: the fields of `templateMessage` are at the top level. */
    SendTemplateFlatBody: {
      number: components['schemas']['Recipient'];
      /** Template to send, by its name. */
      name: string;
      /** Language code of the template, such as `en_US`. */
      language: string;
    };
    /** Wrapped form: the presence and its duration are in `options`. */
    SendPresenceBody: {
      number: components['schemas']['Recipient'];
      /** Presence and its duration. */
      options: {
        /** How long the presence is shown, in milliseconds. Absent means until the platform hides it. */
        delay?: number;
        presence?: components['schemas']['Presence'];
      };
    };
    /** Flat form: the fields of `options` are at the top level. */
    SendPresenceFlatBody: {
      number: components['schemas']['Recipient'];
      /** How long the presence is shown, in milliseconds. Absent means until the platform hides it. */
      delay?: number;
      presence?: components['schemas']['Presence'];
    };
    /** The presence that was shown. */
    PresenceResult: {
      presence: components['schemas']['Presence'];
    };
    /** The message to edit, and its new text. */
    UpdateMessageBody: {
      /** The chat. An integer in the interface; a string keeps identifiers and leading zeros. */
      number?: components['schemas']['Recipient'] | number;
      /** New text of the message. */
      text: string;
      /** Key that identifies the message. */
      key: {
        /** Chat of the message: number, JID or LID. */
        remoteJid?: string;
        /** Whether this account sent the message. */
        fromMe?: boolean;
        /** Identifier of the message, as in its `key`. */
        id: string;
      };
    };
    /** Conditions for the statuses to list. All given conditions must hold; absent ones do not count. */
    FindStatusMessageBody: {
      /** The conditions; all of them must hold. */
      where?: {
        /** Other spelling of `id`. */
        _id?: string;
        /** Identifier of the message, as in its `key`. */
        id?: string;
        /** Chat of the message: number, JID or LID. */
        remoteJid?: string;
        /** Whether this account sent the message. */
        fromMe?: boolean;
        /** JID of the group member whose receipt it was. */
        participant?: string;
        status?: components['schemas']['MessageStatus'];
      };
      /** Maximum number of records. 0 or absent means 1000. */
      limit?: number;
      /** Number of the page to return, from 1. */
      page?: number;
      /** Number of records on a page. */
      offset?: number;
    };
    /** One status a message reached. */
    StoredStatus: {
      /** JID of the chat. */
      remoteJid: string;
      /** Identifier of the message, as in its `key`. */
      id: string;
      /** The same as `id`. */
      keyId?: string;
      /** The same as `id`, which is also the `id` of the record in findMessages. */
      messageId?: string;
      /** Whether this account sent the message. */
      fromMe: boolean;
      /** JID of the author of a message in a group. */
      participant?: string;
      status: components['schemas']['MessageStatus'];
      /** When the status was reached, in milliseconds since the epoch. */
      datetime: number;
      /** Error code of the platform, with the status ERROR. */
      code?: string;
      /** Reason of the status ERROR, such as `account_restricted`. The page of error codes lists all. */
      reason?: string;
      /** Name under which the instance was created, as in the paths of the API. */
      owner?: string;
      /** UUID that the gateway gave the instance when it was created. */
      instanceId?: string;
    };
    /** Conditions for the messages to list. All given conditions must hold; absent ones do not count. */
    FindMessagesBody: {
      /** The conditions; all of them must hold. */
      where?: {
        /** Conditions on the key of the message. */
        key?: {
          /** Chat of the message: number, JID or LID. */
          remoteJid?: string;
          /** Whether this account sent the message. */
          fromMe?: boolean;
          /** Identifier of the message, as in its `key`. */
          id?: string;
          /** JID of the sender of a message in a group. */
          participant?: string;
        };
        /** Name of the content object, as events and pages show it: `conversation` finds every text except disappearing ones, and `documentMessage` every document. `extendedTextMessage` finds only the texts that the platform transmits under this name, such as those with a link, a quote or a mention, and those of this gateway. Messages inside of `ephemeralMessage` are found by that name only. */
        messageType?: string;
        /** Kind of device that sent the message. The number of stored messages decides how long the search takes. */
        source?: "android" | "ios" | "web" | "desktop" | "unknown";
        /** Period in which the message was sent. */
        messageTimestamp?: {
          /** Earliest time that matches (ISO 8601, UTC). */
          gte?: string;
          /** Latest time that matches (ISO 8601, UTC). */
          lte?: string;
        };
      };
      /** Maximum number of records. 0 or absent means 1000. */
      limit?: number;
      /** Number of the page to return, from 1. */
      page?: number;
      /** Number of records on a page. The default is 50. */
      offset?: number;
    };
    /** One message as kept in the store. */
    StoredMessage: {
      key: components['schemas']['MessageKey'];
      /** The name that the sender chose. */
      pushName?: string;
      /** The same as `key.id`. */
      id?: string;
      message: components['schemas']['MessageContent'];
      /** Quotes and mentions, in a page and in the list of chats. */
      contextInfo?: { [name: string]: unknown };
      /** Name of the content object, such as `imageMessage`. */
      messageType: string;
      /** When the message was sent, in seconds since the epoch. */
      messageTimestamp: number;
      /** When the message was last edited, in seconds since the epoch; absent when it was not. */
      editedAt?: number;
      /** True when the message is starred; otherwise absent. */
      starred?: boolean;
      status?: components['schemas']['MessageStatus'];
      /** Statuses that the message reached, oldest first. */
      MessageUpdate?: {
        status: components['schemas']['MessageStatus'];
      }[];
      /** Kind of device that sent the message: android, ios, web, desktop or unknown. */
      source?: string;
      /** Name under which the instance was created, as in the paths of the API. */
      owner?: string;
      /** UUID that the gateway gave the instance when it was created. */
      instanceId?: string;
    };
    /** The answer to a search without paging. */
    StoredMessages: components['schemas']['StoredMessage'][];
    /** One page of a search. */
    StoredMessagePage: {
      /** The page and its position. */
      messages: {
        /** Number of messages that match. */
        total: number;
        /** Number of pages of this size. */
        pages: number;
        /** Number of the returned page, from 1. */
        currentPage: number;
        /** The messages of this page, newest first. */
        records: components['schemas']['StoredMessage'][];
      };
    };
    /** The chat whose older messages are requested from the phone. */
    FetchHistoryBody: {
      number: components['schemas']['Recipient'];
      /** Maximum number of messages. The default is 50, which is the most that phones send at a time. */
      count?: number;
      /** Identifier of a stored message of this chat. Older messages are requested; the default is the oldest stored one. */
      before?: string;
    };
    /** The request to the phone and its result. */
    FetchedHistory: {
      /** JID of the chat, in phone-number form when the number is known. */
      chatId: string;
      /** Id of the request that was sent to the phone. */
      requestId: string;
      /** Maximum number of messages that were asked for. */
      count: number;
      /** Message before which older ones were asked for. */
      before: {
        key: components['schemas']['MessageKey'];
        /** When the message was sent, in seconds since the epoch. */
        messageTimestamp: number;
      };
      /** Number of messages that the phone sent. */
      messages: number;
      /** Whether the phone has older messages; null when it does not report it. */
      hasMore: boolean | null;
    };
    /** The number to look up. */
    NumberBody: {
      number: components['schemas']['Recipient'];
    };
    /** Profile picture result. */
    ProfilePicture: {
      /** JID of the user. */
      wuid: string;
      /** The address of the profile picture; null when it is hidden or missing. */
      profilePictureUrl: string | null;
    };
    /** The new profile status text. */
    UpdateProfileStatusBody: {
      /** New text of the profile; empty removes it. */
      status: string;
      /** One emoji next to the text. */
      emoji?: string;
      /** Seconds after which the text is removed; 0 or absent keeps it. */
      expiration?: number;
    };
    /** Who sees which part of the account. As a body, this is the flat form. */
    PrivacySettings: {
      /** Who sees that this account read their messages. */
      readreceipts?: "all" | "none";
      /** Who sees the profile picture. */
      profile?: "all" | "contacts" | "contact_blacklist" | "none";
      /** Who sees the profile status text. */
      status?: "all" | "contacts" | "contact_blacklist" | "none";
      /** Who sees when the account is online. */
      online?: "all" | "match_last_seen";
      /** Who sees when the account was last online. */
      last?: "all" | "contacts" | "contact_blacklist" | "none";
      /** Who may add the account to groups. */
      groupadd?: "all" | "contacts" | "contact_blacklist" | "none";
    };
    /** Wrapped form: the settings are in `privacySettings`. Absent settings stay as they are. */
    UpdatePrivacySettingsBody: {
      privacySettings: components['schemas']['PrivacySettings'];
    };
    /** All six settings after the change. */
    PrivacyResult: {
      /** Always `success`. */
      update: string;
      data: components['schemas']['PrivacySettings'];
    };
    /** The new profile name. */
    UpdateProfileNameBody: {
      /** Name that other users see. */
      name: string;
    };
    /** The new profile picture. */
    UpdateProfilePictureBody: {
      /** The file: an address with http or https, base64, or a data URL. */
      picture: string;
    };
    /** The user. Without `number`, the account itself. */
    FetchProfileBody: {
      number?: components['schemas']['Recipient'];
    };
    /** Profile of a user, as this account sees it. */
    ShownProfile: {
      /** JID of the user. */
      wuid: string;
      /** Name that the user chose, as far as it is known. */
      name: string | null;
      /** Always true. A number that is not on the platform is an error. */
      numberExists: boolean;
      /** Address of the profile picture; null when it is hidden or missing. */
      picture: string | null;
      /** Text below the name; null when it is hidden or missing. */
      status: string | null;
      /** Whether it is a business account. */
      isBusiness: boolean;
      /** Text in the profile of a business. */
      description?: string;
      /** E-mail address of a business. */
      email?: string;
      /** First website of a business. */
      website?: string;
    };
    /** The profile of a business. Without one, `isBusiness` is false and `message` says so. */
    BusinessProfile: {
      /** Whether it is a business account. */
      isBusiness: boolean;
      /** JID of the business. */
      wid?: string;
      /** Text in the profile of the business. */
      description?: string;
      /** The addresses of the websites of the business. */
      website?: string[];
      /** Postal address that the profile shows. */
      address?: string;
      /** E-mail address that the profile shows. */
      email?: string;
      /** Line of business, as the platform names it. */
      category?: string;
      /** When the business is open. */
      business_hours?: {
        /** IANA time zone of the opening hours, such as `America/Sao_Paulo`. */
        timezone?: string;
        /** Opening times of each day, with the fields of the platform. */
        business_config?: { [name: string]: unknown }[];
      };
      /** Sentence that says that the account has no business profile. */
      message?: string;
      /** Present without a business profile, and then always true. */
      exists?: boolean;
      /** JID of an account without a business profile. */
      jid?: string;
      /** Profile name of an account without a business profile. */
      name?: string;
      /** Number as the caller wrote it. */
      number?: string;
    };
    /** The contact to block or to unblock. */
    UpdateBlockStatusBody: {
      number: components['schemas']['Recipient'];
      /** Whether to block or to unblock the contact. */
      status: "block" | "unblock";
    };
    /** A contact that was blocked or unblocked. */
    BlockResult: {
      /** Always `success`. */
      block: string;
    };
    /** The numbers to check. */
    NumbersBody: {
      /** The numbers to look up. */
      numbers: components['schemas']['Recipient'][];
    };
    /** Numbers, LIDs and user names of people. */
    FindLidsBody: {
      /** The numbers to look up. */
      numbers: components['schemas']['Recipient'][];
    };
    /** The two addresses of a person. */
    FoundLid: {
      /** Number as the caller wrote it. */
      number: string;
      /** Address with the phone number; null when the number of the LID is not known. */
      jid: string | null;
      /** LID of the person; null for a number that is not on the platform. */
      lid: string | null;
      /** False for a number that is not on the platform. LIDs are not checked. */
      exists: boolean;
    };
    /** Whether a number is on the platform. */
    CheckedNumber: {
      /** Whether the number is on the platform. */
      exists: boolean;
      /** JID of the number, or of the requested number when it is not on the platform. */
      jid: string;
      /** Number as the caller wrote it. */
      number: string;
      /** Name that the user chose, as far as it is known, or the name of a group. */
      name?: string;
      /** LID of the same person, when it is known. */
      lid?: string;
      /** User name of the person, when it is known. */
      username?: string;
      /** True when the answer was known and still holds, false when the platform was asked. */
      cached: boolean;
      /** When the platform answered (ISO 8601, UTC); absent for groups and LIDs. */
      checkedAt?: string;
    };
    /** Key of the message to delete. */
    DeleteMessageBody: {
      /** Identifier of the message to delete, as in its `key`. */
      id: string;
      /** Whether this account sent the message. */
      fromMe: boolean;
      /** Chat of the message: number, JID or LID. */
      remoteJid: string;
      /** JID of the author of a message in a group. A stored message does not need it. */
      participant?: string;
    };
    /** The message whose file is returned. */
    GetBase64Body: {
      /** The message that has the file. */
      message: {
        /** Key that identifies the message. */
        key: {
          /** Identifier of the message, as in its `key`. */
          id: string;
          /** The chat, when the id alone is not enough. */
          remoteJid?: string;
          /** Whether this account sent the message. */
          fromMe?: boolean;
          /** JID of the author of a message in a group. */
          participant?: string;
        };
        /** Content of a message that is not stored, as it was posted. */
        message?: { [name: string]: unknown };
      };
      /** True converts an audio file to MP4 (AAC), which needs ffmpeg. */
      convertToMp4?: boolean;
    };
    /** The file of a message and its properties. */
    MediaBase64: {
      /** Name of the content object, such as `imageMessage`. */
      mediaType: string;
      /** Name of the file with its extension. */
      fileName: string;
      /** Text below the file. */
      caption?: string;
      /** Size of the file, and of a picture or a video. */
      size: {
        /** Size of the file in bytes, as text. */
        fileLength: string;
        /** Height of the picture in pixels. */
        height?: number;
        /** Width of the picture in pixels. */
        width?: number;
      };
      /** MIME type of the file, such as `image/jpeg`. */
      mimetype: string;
      /** Content of the file in base64. */
      base64: string;
      /** Always null, for clients that expect the field. */
      buffer?: null;
    };
    /** Wrapped form: the keys of the messages are in `readMessages`. */
    ReadMessagesBody: {
      /** Keys of the messages to mark as read. */
      readMessages: components['schemas']['GivenKey'][];
    };
    /** Flat form: the keys of the messages are in `read_messages`, as older clients write it. */
    ReadMessagesFlatBody: {
      /** Keys of the messages to mark as read. */
      read_messages: components['schemas']['GivenKey'][];
    };
    /** Key of a message in a request. */
    GivenKey: {
      /** Identifier of the message, as in its `key`. */
      id: string;
      /** Whether this account sent the message. */
      fromMe: boolean;
      /** Chat of the message: number, JID or LID. */
      remoteJid: string;
      /** JID of the author of a message in a group, when the message is not stored. */
      participant?: string;
    };
    /** Messages that were read. */
    ReadResult: {
      /** Always `Read messages`. */
      message: string;
      /** Always `success`. */
      read: string;
    };
    /** The last message of a chat. Stored values take precedence. */
    LastMessage: {
      key: components['schemas']['GivenKey'];
      /** When the message was sent, in seconds since the epoch. */
      messageTimestamp?: number;
    };
    /** The chat, named by `chat` or by its last message. */
    MarkChatUnreadBody: {
      /** Chat: number, JID, LID or user name. */
      chat?: string;
      lastMessage?: components['schemas']['LastMessage'];
    };
    /** State of the chat after the change. */
    UnreadResult: {
      /** JID of the chat, in phone-number form when the number is known. */
      chatId: string;
      /** Always true. */
      markedChatUnread: boolean;
    };
    /** The chat, and whether it is pinned. */
    PinChatBody: {
      /** Chat: number, JID, LID or user name. `number` means the same. */
      chat: string;
      /** True pins the chat, false unpins it. */
      pin: boolean;
    };
    /** State of the chat after the change. */
    PinResult: {
      /** JID of the chat, in phone-number form when the number is known. */
      chatId: string;
      /** Whether the chat is pinned. */
      pinned: boolean;
    };
    /** The chat, and whether it is muted. */
    MuteChatBody: {
      /** Chat: number, JID, LID or user name. `number` means the same. */
      chat: string;
      /** True mutes the chat, false unmutes it. */
      mute: boolean;
      /** How long the chat is muted, in seconds. Absent means without an end. */
      duration?: number;
    };
    /** State of the chat after the change. */
    MuteResult: {
      /** JID of the chat, in phone-number form when the number is known. */
      chatId: string;
      /** Whether the chat is muted. */
      muted: boolean;
      /** When the mute ends, in milliseconds since the epoch; -1 means without an end, null not muted. */
      muteEndTime: number | null;
    };
    /** The message, and whether it is starred. */
    StarMessageBody: {
      key: components['schemas']['TargetKey'];
      /** False removes the star. */
      star?: boolean;
    };
    /** State of the message after the change. */
    StarResult: {
      /** JID of the chat, in phone-number form when the number is known. */
      chatId: string;
      /** Identifier of the message, as in its `key`. */
      messageId: string;
      /** Whether the message is starred. */
      starred: boolean;
    };
    /** The chat, and the time after which its messages disappear. */
    ToggleChatEphemeralBody: {
      number: components['schemas']['Recipient'];
      /** The number of seconds after which messages disappear; 0 keeps them. */
      expiration: 0 | 86400 | 604800 | 7776000;
    };
    /** State of the chat after the change. */
    ChatEphemeralResult: {
      /** JID of the chat, in phone-number form when the number is known. */
      chatId: string;
      /** Seconds after which messages disappear; 0 keeps them. */
      expiration: number;
    };
    /** The chat, and whether it is archived. */
    ArchiveChatBody: {
      /** True archives the chat, false removes it from the archive. */
      archive: boolean;
      /** Chat: number, JID, LID or user name. */
      chat?: string;
      lastMessage?: components['schemas']['LastMessage'];
    };
    /** State of the chat after the change. */
    ArchiveResult: {
      /** JID of the chat, in phone-number form when the number is known. */
      chatId: string;
      /** Whether the chat is archived. */
      archived: boolean;
    };
    /** Conditions for the contacts to list. All given conditions must hold; absent and empty ones do not count. */
    FindContactsBody: {
      /** The conditions; all of them must hold. */
      where?: {
        /** Chat: number, JID, LID or user name. */
        remoteJid?: string;
        /** Other name of `remoteJid`. */
        id?: string;
        /** Other name of `remoteJid`. */
        _id?: string;
        /** Name that the contact chose, in full. */
        pushName?: string;
      };
      /** Maximum number of records. 0 or absent means 1000. */
      limit?: number;
      /** Number of the page to return, from 1. */
      page?: number;
      /** Number of records on a page. */
      offset?: number;
    };
    /** A contact that the instance knows. */
    ListedContact: {
      /** The same as `remoteJid`. */
      id: string;
      /** JID of the contact, in phone-number form when the number is known, else the LID (`…@lid`). */
      remoteJid: string;
      /** LID of the same person, when it is known. */
      lid?: string;
      /** The name that WhatsApp reported last: the one that the contact chose, or the one in the address book of the phone. */
      pushName: string | null;
      /** User name of the person, when the platform sent it. */
      username?: string;
      /** Always null, because pictures are not stored. See chat/fetchProfilePictureUrl. */
      profilePictureUrl: null;
      /** Always null, as `profilePictureUrl`. */
      profilePicUrl: null;
      /** Always false, because groups are chats and not contacts. */
      isGroup: boolean;
      /** Always `contact`. */
      type: string;
      /** Name under which the instance was created, as in the paths of the API. */
      owner: string;
      /** UUID that the gateway gave the instance when it was created. */
      instanceId: string;
    };
    /** Conditions for the chats to list. All given conditions must hold; absent and empty ones do not count. */
    FindChatsBody: {
      /** The conditions; all of them must hold. */
      where?: {
        /** Chat: number, JID, LID or user name. */
        remoteJid?: string;
        /** Other name of `remoteJid`. */
        id?: string;
        /** Period in which the last message of the chat was sent. */
        messageTimestamp?: {
          /** Earliest time that matches (ISO 8601, UTC). */
          gte?: string;
          /** Latest time that matches (ISO 8601, UTC). */
          lte?: string;
        };
      };
      /** Maximum number of records. 0 or absent means 1000. */
      limit?: number;
      /** Number of the page to return, from 1. */
      page?: number;
      /** Number of records on a page. */
      offset?: number;
      /** Other name of `offset`. */
      take?: number;
      /** Number of chats to skip. */
      skip?: number;
    };
    /** A chat as kept in the store. */
    ListedChat: {
      /** The same as `remoteJid`. */
      id: string;
      /** JID of the chat, in phone-number form when the number is known, else the LID (`…@lid`). */
      remoteJid: string;
      /** LID of the same person, when it is known. */
      lid?: string;
      /** Name on the phone, or else the name that the chat partner chose. */
      name: string | null;
      /** The name that WhatsApp reported last: the one that the chat partner chose, or the one in the address book of the phone. */
      pushName: string | null;
      /** User name of the partner, when the platform sent it. */
      username?: string;
      /** Always null, because pictures are not stored. See chat/fetchProfilePictureUrl. */
      profilePicUrl: null;
      /** Number of messages of others since the chat was last read or written in; -1 when it was marked as unread. */
      unreadCount: number;
      /** Whether the chat is archived. */
      archived: boolean;
      /** Whether the chat is pinned. */
      pinned: boolean;
      /** When the mute ends, in milliseconds since the epoch; -1 means without an end. */
      muteEndTime: number | null;
      /** Seconds after which messages disappear, when it is known. */
      ephemeralExpiration?: number;
      /** When the last message was sent, in seconds since the epoch; null when there is none. */
      lastMsgTimestamp: number | null;
      /** When the oldest stored message was sent (ISO 8601, UTC). */
      createdAt: string | null;
      /** `lastMsgTimestamp` as ISO 8601 in UTC. */
      updatedAt: string | null;
      /** Latest stored message of the chat; null when there is none. */
      lastMessage: components['schemas']['StoredMessage'] | null;
      /** Name under which the instance was created, as in the paths of the API. */
      owner: string;
      /** UUID that the gateway gave the instance when it was created. */
      instanceId: string;
    };
    /** A group name; typed object in the interface, where a plain string is meant. Both are accepted. */
    GroupSubject: string | {
      /** Name that the group shows. */
      subject: string;
    };
    /** A group description; a plain string or an object that holds it. */
    GroupDescription: string | {
      /** Text that describes the group. */
      description: string;
    };
    /** A picture: address, base64 or data URL, or an object that holds it. */
    GroupPicture: string | {
      /** Picture: an address with http or https, base64, or a data URL. */
      image: string;
    };
    /** Users as phone numbers in E.164 digits without `+`, JIDs, LIDs or user names. */
    Participants: components['schemas']['Recipient'][];
    /** A new group. */
    CreateGroupBody: {
      subject: components['schemas']['GroupSubject'];
      /** Text that describes the group. */
      description?: string;
      participants: components['schemas']['Participants'];
      /** True makes all added members admins. */
      promoteParticipants?: boolean;
      /** Picture: an address with http or https, base64, or a data URL. */
      profilePicture?: string;
    };
    /** A member of a group. */
    GroupParticipant: {
      /** JID of the user, in phone-number form when the number is known. */
      id: string;
      /** `admin`, `superadmin`, or null. */
      admin?: string | null;
      /** LID of the user, when known (superset of the interface). */
      lid?: string;
      /** User name, when the platform sent it (superset of the interface). */
      username?: string;
    };
    /** A group. Times are seconds since the epoch. */
    GroupRecord: {
      /** JID of the group, which ends in `@g.us`. */
      id: string;
      /** Name that the group shows. */
      subject: string;
      /** The JID of the user who set the name. */
      subjectOwner: string;
      /** When the name was set, in seconds since the epoch. */
      subjectTime: number;
      /** The address of the group picture; null when it is hidden or missing. */
      pictureUrl?: string | null;
      /** Number of participants. */
      size: number;
      /** When the group was created, in seconds since the epoch. */
      creation: number;
      /** The JID of the owner of the group. */
      owner: string;
      /** Text that describes the group. */
      desc?: string;
      /** Id of this version of the description. */
      descId?: string;
      /** True when only admins may edit the settings. */
      restrict: boolean;
      /** True when only admins may send messages. */
      announce: boolean;
      /** True for a community, which holds other groups. */
      isCommunity?: boolean;
      /** True for the announcement group of a community. */
      isCommunityAnnounce?: boolean;
      /** JID of the community that the group belongs to. */
      linkedParent?: string;
      /** True when every member may add others (superset of the interface). */
      memberAddMode?: boolean;
      /** True when users who join by link wait for an admin (superset of the interface). */
      joinApprovalMode?: boolean;
      /** Seconds after which messages disappear; missing when they stay. */
      ephemeralDuration?: number;
      /** How the platform names its members: lid or pn. */
      addressingMode?: string;
      /** All members of the group. */
      participants?: components['schemas']['GroupParticipant'][];
      /** The result for each requested member; in the answer to create only (superset of the interface). */
      updateParticipants?: components['schemas']['ParticipantResult'][];
      /** Parts of the request that the platform refused although it created the group. Only in the answer to create. */
      failed?: {
        /** Field of the request that was refused. */
        field: string;
        /** Error code, as in `ErrorBody`. */
        code: string;
        /** Sentence that says what the platform refused. */
        message: string;
      }[];
    };
    /** The participants, and what to do with them. */
    UpdateParticipantBody: {
      /** What to do with the participants. */
      action: "add" | "remove" | "promote" | "demote";
      participants: components['schemas']['Participants'];
    };
    /** The result for one participant. */
    ParticipantResult: {
      /** Platform code as text: 200 done, 403 may not be added (privacy), 404 not on the platform or not in the group, 408 left recently, 409 already in. */
      status: string;
      /** JID of the user, in phone-number form when the number is known. */
      jid: string;
      /** Answer of the platform for this participant. */
      content?: {
        /** Name of the XML element. */
        tag?: string;
        /** Attributes of the XML element, by name. */
        attrs?: { [name: string]: string };
        /** Child elements of the answer. */
        content?: {
          /** Name of the XML element. */
          tag?: string;
          /** Attributes of the XML element, by name. */
          attrs?: { [name: string]: string };
        }[];
      };
    };
    /** The result for each participant. */
    ParticipantsResult: {
      /** The result for each participant, in the order of the request. */
      updateParticipants: components['schemas']['ParticipantResult'][];
    };
    /** The setting to apply. */
    UpdateSettingBody: {
      /** announcement: only admins send; not_announcement: all members send; locked: only admins edit the settings; unlocked: all members edit them. */
      action: "announcement" | "not_announcement" | "locked" | "unlocked";
    };
    /** Nothing to report beyond success. */
    EmptyResult: Record<string, never>;
    /** The time after which messages of the group disappear. */
    ToggleEphemeralBody: {
      /** The number of seconds after which messages disappear; 0 keeps them. */
      expiration: 0 | 86400 | 604800 | 7776000;
    };
    /** Done. */
    SuccessResult: {
      /** Always true. */
      success: boolean;
    };
    /** The new description. */
    GroupDescriptionBody: {
      description: components['schemas']['GroupDescription'];
    };
    /** The new picture. */
    GroupPictureBody: {
      image: components['schemas']['GroupPicture'];
    };
    /** The new name. */
    GroupSubjectBody: {
      subject: components['schemas']['GroupSubject'];
    };
    /** The invite link of a group. */
    InviteResult: {
      /** Link that invites to the group or the channel. */
      inviteUrl: string;
      /** The code in the invite link. */
      inviteCode: string;
    };
    /** The group that was joined. */
    AcceptInviteResult: {
      /** True when the account is a member now; false when an admin has to agree first. */
      accepted: boolean;
      /** JID of the group, which ends in `@g.us`. */
      groupJid: string;
    };
    /** Who is in a group. */
    GroupMembers: {
      /** All members of the group. */
      participants: ({
        /** JID of the user, in phone-number form when the number is known. */
        id: string;
        /** `admin`, `superadmin`, or null. */
        admin?: string | null;
        /** LID of the user, when it is known. */
        lid?: string;
        /** User name, if WhatsApp sends one. */
        username?: string;
        /** The name that the user chose, as far as the instance knows it. */
        name: string | null;
        /** Always null, because pictures are not stored. See chat/fetchProfilePictureUrl. */
        imgUrl: string | null;
      })[];
    };
    /** The recipients of the invite link, and the text above it. */
    SendInviteBody: {
      /** Stands above the link. */
      description?: string;
      /** Phone numbers with country code. */
      numbers: components['schemas']['Recipient'][];
    };
    /** Recipients of the invite link, and recipients who could not be reached. */
    SentInvite: {
      /** True when none failed. */
      send: boolean;
      /** Link that invites to the group or the channel. */
      inviteUrl: string;
      /** Recipients to whom the link was sent. */
      sent: {
        /** Recipient as the caller wrote it. */
        number: string;
        /** Identifier of the message, as in its `key`. */
        id: string;
      }[];
      /** Recipients who could not be reached. */
      failed: {
        /** Recipient as the caller wrote it. */
        number: string;
        /** Error code, as in `ErrorBody`. */
        code: string;
        /** Sentence that says why the send failed. */
        message: string;
      }[];
    };
    /** The invite link that replaces the old one. */
    RevokedInvite: {
      /** Always true. */
      revoked: boolean;
      /** The code in the invite link. */
      inviteCode: string;
      /** Link that invites to the group or the channel. */
      inviteUrl: string;
    };
    /** The group that was left. */
    LeftGroup: {
      /** JID of the group, which ends in `@g.us`. */
      groupJid: string;
      /** Always true. */
      leave: boolean;
    };
    /** Users who wait for the approval of an admin. */
    JoinRequests: {
      /** The users who wait for approval. */
      requests: {
        /** JID of the user, in phone-number form when the number is known. */
        jid: string;
        /** LID of the user, when it is known. */
        lid?: string;
        /** When the user asked to join, in seconds since the epoch. */
        requestedAt: number;
        /** How the user asked to join, as the platform names it, such as `invite_link`. */
        method?: string;
      }[];
    };
    /** The users who wait, and whether they are let in. */
    JoinDecisionBody: {
      /** Whether to let the users in. */
      action: "approve" | "reject";
      participants: components['schemas']['Participants'];
    };
    /** Who may add members. */
    MemberAddModeBody: {
      /** `admin_add` allows only admins to add members, `all_member_add` every member. */
      mode: "admin_add" | "all_member_add";
    };
    /** Whether admins approve new members. */
    JoinApprovalModeBody: {
      /** `on` makes users who join by link wait for an admin. */
      mode: "on" | "off";
    };
    /** A new channel. */
    CreateChannelBody: {
      /** Name that the channel shows. */
      name: string;
      /** Text that describes the channel. */
      description?: string;
    };
    /** The channel, and its new name, description or picture. */
    UpdateChannelBody: {
      /** JID of the channel, its link, or the code in the link. */
      channel: string;
      /** New name that the channel shows. */
      name?: string;
      /** New text that describes the channel. */
      description?: string;
      /** Picture: an address with http or https, base64, or a data URL. */
      image?: string;
    };
    /** The channel. */
    ChannelBody: {
      /** JID of the channel, its link, or the code in the link. */
      channel: string;
    };
    /** The channel, and whether it is muted. */
    MuteChannelBody: {
      /** JID of the channel, its link, or the code in the link. */
      channel: string;
      /** Whether the channel is muted. */
      muted: boolean;
    };
    /** A channel. */
    ChannelRecord: {
      /** JID of the channel, which sends take as `number`. */
      id: string;
      /** Name that the channel shows. */
      name: string;
      /** Text that describes the channel; may be empty. */
      description: string;
      /** When the channel was created, in seconds since the epoch. */
      creation: number;
      /** The code in the invite link. */
      inviteCode: string;
      /** Link that invites to the group or the channel. */
      inviteUrl: string;
      /** The number of followers. */
      subscribers: number;
      /** Whether the platform verified the channel. */
      verified: boolean;
      /** State on the platform: active, suspended or geosuspended. */
      state: string;
      /** Role of this account: owner, admin, subscriber or guest. */
      role: string;
      /** Whether the channel is muted. */
      muted: boolean;
    };
    /** Channels. */
    ChannelList: components['schemas']['ChannelRecord'][];
    /** The channel that was changed. */
    ChannelChange: {
      /** JID of the channel, which ends in `@newsletter`. */
      id: string;
    };
    /** Posts of a channel, newest first. */
    ChannelPosts: {
      /** Identifies the post, as in other messages. */
      key: {
        /** JID of the channel. */
        remoteJid: string;
        /** Whether this account sent the message. */
        fromMe: boolean;
        /** Identifier of the message, as in its `key`. */
        id: string;
      };
      /** Number of the post in the channel, as text. */
      serverId: string;
      /** One content object, named after the kind. */
      message: { [name: string]: unknown };
      /** Name of the content object, such as `imageMessage`. */
      messageType: string;
      /** When the post was published, in seconds since the epoch. */
      messageTimestamp: number;
      /** The number of views. */
      views: number;
      /** The reactions with their numbers. */
      reactions: {
        /** The emoji. */
        reaction: string;
        /** The number of accounts that reacted with this emoji. */
        count: number;
      }[];
    }[];
    /** Labels of an account. */
    Labels: {
      /** Id of the label, for `labelId`. */
      id: string;
      /** Text of the label. */
      name: string;
      /** The platform's number of the color. */
      color: number;
      /** Id that the platform gives a label that every account has. */
      predefinedId?: string;
    }[];
    /** The chat, the label, and whether to add or to remove it. */
    HandleLabelBody: {
      number: components['schemas']['Recipient'];
      /** Id of the label, as in findLabels. */
      labelId: string;
      /** Whether to put the label on the chat or to take it off. */
      action: "add" | "remove";
    };
    /** The label that was added or removed. */
    LabelResult: {
      /** JID of the chat. */
      numberJid: string;
      /** Id of the label, as in findLabels. */
      labelId: string;
      /** True when the label was added. */
      add?: boolean;
      /** True when the label was removed. */
      remove?: boolean;
    };
    /** The settings to change in camelCase; at least one. */
    SetSettingsBody: {
      /** Whether incoming calls are rejected. */
      rejectCall?: boolean;
      /** Text that is sent to rejected callers; empty sends none. */
      msgCall?: string;
      /** Whether events of groups are omitted. */
      groupsIgnore?: boolean;
      /** Whether the account is shown as online while it is connected. */
      alwaysOnline?: boolean;
      /** Whether incoming messages are marked as read. */
      readMessages?: boolean;
      /** Whether statuses of contacts are reported and marked as seen. */
      readStatus?: boolean;
      /** Whether the phone is asked for its whole history at the next link. */
      syncFullHistory?: boolean;
      /** Whether posts of followed channels are reported. */
      readChannels?: boolean;
    };
    /** The settings to change in snake_case; at least one. */
    SetSettingsSnakeBody: {
      /** Whether incoming calls are rejected. */
      reject_call?: boolean;
      /** Text that is sent to rejected callers; empty sends none. */
      msg_call?: string;
      /** Whether events of groups are omitted. */
      groups_ignore?: boolean;
      /** Whether the account is shown as online while it is connected. */
      always_online?: boolean;
      /** Whether incoming messages are marked as read. */
      read_messages?: boolean;
      /** Whether statuses of contacts are reported and marked as seen. */
      read_status?: boolean;
      /** Whether the phone is asked for its whole history at the next link. */
      sync_full_history?: boolean;
      /** Whether posts of followed channels are reported. */
      read_channels?: boolean;
    };
    /** The settings in force, in both spellings. */
    SettingsRecord: {
      /** Whether incoming calls are rejected. */
      rejectCall: boolean;
      /** Text that is sent to rejected callers; empty sends none. */
      msgCall: string;
      /** Whether events of groups are omitted. */
      groupsIgnore: boolean;
      /** Whether the account is shown as online while it is connected. */
      alwaysOnline: boolean;
      /** Whether incoming messages are marked as read. */
      readMessages: boolean;
      /** Whether statuses of contacts are reported and marked as seen. */
      readStatus: boolean;
      /** Whether the phone is asked for its whole history at the next link. */
      syncFullHistory: boolean;
      /** Whether posts of followed channels are reported. */
      readChannels: boolean;
      /** Whether incoming calls are rejected. */
      reject_call: boolean;
      /** Text that is sent to rejected callers; empty sends none. */
      msg_call: string;
      /** Whether events of groups are omitted. */
      groups_ignore: boolean;
      /** Whether the account is shown as online while it is connected. */
      always_online: boolean;
      /** Whether incoming messages are marked as read. */
      read_messages: boolean;
      /** Whether statuses of contacts are reported and marked as seen. */
      read_status: boolean;
      /** Whether the phone is asked for its whole history at the next link. */
      sync_full_history: boolean;
      /** Whether posts of followed channels are reported. */
      read_channels: boolean;
    };
    /** All settings after the change. */
    SettingsEcho: {
      /** The instance and its settings. */
      settings: {
        /** Name under which the instance was created, as in the paths of the API. */
        instanceName: string;
        settings: components['schemas']['SettingsRecord'];
      };
    };
    /** A proxy. Names are resolved by it. */
    ProxyInput: {
      /** Host name or IP address of the proxy. */
      host: string;
      /** TCP port of the proxy. */
      port: number;
      /** How the gateway talks to the proxy. `socks` and `socks5h` mean the same as `socks5`. */
      protocol: "http" | "https" | "socks5" | "socks" | "socks5h";
      /** User name for the proxy; empty when it needs none. */
      username?: string;
      /** Password for the proxy. Without it, the stored password is kept if host, port and user name are the same. */
      password?: string;
    };
    /** A proxy in use, without its password. */
    ProxyRecord: {
      /** UUID of the instance, which has at most one proxy. */
      id: string;
      /** Always true. Without a proxy there is no record. */
      enabled: boolean;
      /** Host name or IP address of the proxy. Empty when the stored value cannot be read; nothing is connected then. */
      host: string;
      /** TCP port of the proxy, as text. */
      port: string;
      /** How the gateway talks to the proxy: http, https or socks5. */
      protocol: string;
      /** User name for the proxy; empty when it needs none. */
      username: string;
      /** Whether a password is stored. */
      hasPassword: boolean;
      /** UUID that the gateway gave the instance when it was created. */
      instanceId: string;
      /** When the instance was last changed (ISO 8601, UTC). */
      updatedAt: string;
    };
    /** Wrapped form: the proxy is in `proxy`. */
    SetProxyBody: {
      /** True uses the proxy, false connects directly. */
      enabled: boolean;
      proxy?: components['schemas']['ProxyInput'];
    };
    /** Flat form: the fields of `proxy` are at the top level. */
    SetProxyFlatBody: {
      /** True uses the proxy, false connects directly. */
      enabled: boolean;
      /** Host name or IP address of the proxy. */
      host?: string;
      /** TCP port of the proxy. Text is accepted as well. */
      port?: number;
      /** How the gateway talks to the proxy. `socks` and `socks5h` mean the same as `socks5`. */
      protocol?: "http" | "https" | "socks5" | "socks" | "socks5h";
      /** User name for the proxy; empty when it needs none. */
      username?: string;
      /** Password for the proxy. Without it, the stored password is kept if host, port and user name are the same. */
      password?: string;
    };
    /** The proxy of an instance in the forms of older and newer clients. Without a proxy, `enabled` is false and the texts are empty. */
    ProxyConfig: {
      /** UUID of the instance, which has at most one proxy. */
      id?: string;
      /** True uses the proxy, false connects directly. */
      enabled: boolean;
      /** Host name or IP address of the proxy; empty without a proxy. */
      host: string;
      /** TCP port of the proxy, as text; empty without a proxy. */
      port: string;
      /** How the gateway talks to the proxy: http, https or socks5; empty without a proxy. */
      protocol: string;
      /** User name for the proxy; empty when it needs none. */
      username: string;
      /** Whether a password is stored. */
      hasPassword: boolean;
      /** UUID that the gateway gave the instance when it was created. */
      instanceId?: string;
      /** When the instance was last changed (ISO 8601, UTC). */
      updatedAt?: string;
      /** The same as a record; null without a proxy. */
      proxy: components['schemas']['ProxyRecord'] | null;
    };
    /** The proxy of an instance. */
    ProxyEcho: {
      /** The instance and its proxy. */
      proxy: {
        /** Name under which the instance was created, as in the paths of the API. */
        instanceName: string;
        proxy: components['schemas']['ProxyConfig'];
      };
    };
    /** The call to place. */
    OfferCallBody: {
      number: components['schemas']['Recipient'];
      /** Whether it is a video call. */
      isVideo?: boolean;
      /** Length of the call in seconds. */
      callDuration?: number;
    };
    /** Events for socket.io clients, at the top level or in an object `websocket`. */
    WebsocketBody: {
      /** Whether socket.io clients get events of the instance. */
      enabled: boolean;
      /** Names of the subscribed events. Missing or empty means all. */
      events?: components['schemas']['EventName'][];
    };
    /** Events for the socket.io clients of an instance. */
    WebsocketRecord: {
      /** UUID of the instance. */
      id: string;
      /** Whether socket.io clients get events of the instance. */
      enabled: boolean;
      /** Names of the subscribed events. */
      events: string[];
      /** When the record was created (ISO 8601, UTC). */
      createdAt: string;
      /** When the record was last changed (ISO 8601, UTC). */
      updatedAt: string;
      /** UUID that the gateway gave the instance when it was created. */
      instanceId: string;
    };
    /** Events for the socket.io clients of an instance. Without a configuration, or without socket.io, only `enabled` and `events` are present. */
    WebsocketConfig: {
      /** UUID of the instance. */
      id?: string;
      /** Whether socket.io clients get events of the instance. */
      enabled: boolean;
      /** Names of the subscribed events. */
      events: string[];
      /** When the record was created (ISO 8601, UTC). */
      createdAt?: string;
      /** When the record was last changed (ISO 8601, UTC). */
      updatedAt?: string;
      /** UUID that the gateway gave the instance when it was created. */
      instanceId?: string;
    };
    /** The configuration after the request, at the top level for newer clients and in `websocket` for older ones. */
    WebsocketEcho: {
      /** UUID of the instance. */
      id?: string;
      /** Whether socket.io clients get events of the instance. */
      enabled: boolean;
      /** Names of the subscribed events. */
      events: string[];
      /** When the record was created (ISO 8601, UTC). */
      createdAt?: string;
      /** When the record was last changed (ISO 8601, UTC). */
      updatedAt?: string;
      /** UUID that the gateway gave the instance when it was created. */
      instanceId?: string;
      /** Why no events are sent; present only when the gateway has no socket.io server. */
      message?: string;
      websocket: components['schemas']['NamedTransport'];
    };
    /** The requested configuration, at the top level or in an object with the name of the transport. */
    TransportBody: {
      /** Accepted and ignored, because the gateway does not have these transports. */
      enabled: boolean;
      /** Accepted and ignored, because the gateway does not have these transports. */
      events?: string[];
    };
    /** Configuration of a transport, as older clients read it. */
    TransportRecord: {
      /** Whether events are sent this way; false for a transport that the gateway does not have. */
      enabled: boolean;
      /** Names of the subscribed events. */
      events: string[];
    };
    /** The configuration after the request. */
    TransportEcho: {
      /** Always false, because the gateway does not have this transport. */
      enabled: boolean;
      /** Names of the subscribed events. */
      events: string[];
      /** Why the transport is not available. */
      message: string;
      rabbitmq?: components['schemas']['NamedTransport'];
      sqs?: components['schemas']['NamedTransport'];
      nats?: components['schemas']['NamedTransport'];
      kafka?: components['schemas']['NamedTransport'];
      pusher?: components['schemas']['NamedTransport'];
    };
    /** The configuration for older clients, which read it under the name of the transport. */
    NamedTransport: {
      /** Name under which the instance was created, as in the paths of the API. */
      instanceName: string;
      websocket?: components['schemas']['TransportRecord'];
      rabbitmq?: components['schemas']['TransportRecord'];
      sqs?: components['schemas']['TransportRecord'];
      nats?: components['schemas']['TransportRecord'];
      kafka?: components['schemas']['TransportRecord'];
      pusher?: components['schemas']['TransportRecord'];
    };
    /** A webhook configuration. Every spelling that clients use is understood. */
    WebhookInput: {
      /** Whether events are sent. The default is true. */
      enabled?: boolean;
      /** Address with http or https to which events are posted. May be empty when the webhook is disabled. */
      url?: string;
      /** Names of the subscribed events. Missing or empty means all. */
      events?: components['schemas']['EventName'][];
      /** Extra headers for every post. One named `jwt_key` becomes the key of an HS256 token in the Authorization header instead. */
      headers?: { [name: string]: string };
      /** Whether the name of the event is appended to the address, such as `/messages-upsert`. */
      byEvents?: boolean;
      /** Whether posts contain the files of their messages as `message.base64`. */
      base64?: boolean;
      /** Whether the name of the event is appended to the address, such as `/messages-upsert`. */
      webhookByEvents?: boolean;
      /** Whether posts contain the files of their messages as base64. */
      webhookBase64?: boolean;
      /** Whether the name of the event is appended to the address, such as `/messages-upsert`. */
      webhook_by_events?: boolean;
      /** Whether posts contain the files of their messages as base64. */
      webhook_base64?: boolean;
    };
    /** Wrapped form: the configuration is in `webhook`. */
    SetWebhookBody: {
      webhook: components['schemas']['WebhookInput'];
    };
    /** Flat form: the fields of `webhook` are at the top level, in camelCase or snake_case. */
    SetWebhookFlatBody: {
      /** Whether events are posted. The default is true. */
      enabled?: boolean;
      /** Address with http or https to which events are posted. */
      url: string;
      /** Names of the subscribed events. */
      events?: components['schemas']['EventName'][];
      /** Sent with every post. Those that the gateway sets itself are accepted and not sent: `content-type` with application/json, `content-encoding` with identity, `host` with the host of `url`, and with any value `content-length`, `connection`, `keep-alive`, `proxy-connection`, `te`, `trailer`, `transfer-encoding`, `upgrade` and `expect`. Other values of the first three, `webhook-…` and other `proxy-…` answer 400. */
      headers?: { [name: string]: string };
      /** Whether the name of the event is appended to the address, such as `/messages-upsert`. */
      webhookByEvents?: boolean;
      /** Whether posts contain the files of their messages as base64. */
      webhookBase64?: boolean;
      /** Whether the name of the event is appended to the address, such as `/messages-upsert`. */
      webhook_by_events?: boolean;
      /** Whether posts contain the files of their messages as base64. */
      webhook_base64?: boolean;
    };
    /** The configuration in force, with the field names of every dialect. */
    WebhookConfig: {
      /** Whether events are posted. A disabled webhook keeps its configuration. */
      enabled: boolean;
      /** Address with http or https to which events are posted; empty without a webhook. */
      url: string;
      /** Names of the subscribed events; every name when none was chosen. */
      events: string[];
      /** Whether the name of the event is appended to the address (superset of the interface). */
      webhook_by_events?: boolean;
      /** Whether posts contain the files of their messages (superset of the interface). */
      webhook_base64?: boolean;
      /** Whether the name of the event is appended to the address (superset of the interface). */
      webhookByEvents?: boolean;
      /** Whether posts contain the files of their messages (superset of the interface). */
      webhookBase64?: boolean;
      /** Extra headers of every post, by name (superset of the interface). */
      headers?: { [name: string]: string };
      /** Secret that signs the posts, `whsec_…` (superset of the interface). */
      secret?: string;
      /** UUID of the webhook (superset of the interface). */
      id?: string;
      /** UUID that the gateway gave the instance when it was created (superset of the interface). */
      instanceId?: string;
      /** When the webhook was created (ISO 8601, UTC) (superset of the interface). */
      createdAt?: string;
      /** When the webhook was last changed (ISO 8601, UTC) (superset of the interface). */
      updatedAt?: string;
    };
    /** Chats whose events are wanted. Each entry is a kind (`direct`, `group`, `status`), a number, or an address; the phone number and the LID of a person mean the same chat. Events that are about no chat are not filtered. */
    ChatFilter: {
      /** Only these chats. Missing or empty means all. */
      only?: string[];
      /** Chats to leave out, even if `only` has them. */
      except?: string[];
    };
    /** Configuration of a webhook. */
    WebhookEndpointInput: {
      /** Whether events are sent. The default is true. */
      enabled?: boolean;
      /** Address with http or https to which events are posted. May be empty when the webhook is disabled. */
      url: string;
      /** Names of the subscribed events. Missing or empty means all. */
      events?: components['schemas']['EventName'][];
      /** Extra headers for every post. One named `jwt_key` becomes the key of an HS256 token in the Authorization header instead. */
      headers?: { [name: string]: string };
      /** Whether the name of the event is appended to the address, such as `/messages-upsert`. */
      byEvents?: boolean;
      /** Whether posts contain the files of their messages as `message.base64`. */
      base64?: boolean;
      chats?: components['schemas']['ChatFilter'];
    };
    /** A webhook of an instance. */
    WebhookEndpoint: {
      /** UUID of the webhook. */
      id: string;
      /** True for the webhook of webhook/set and webhook/find. */
      main: boolean;
      /** Whether events are posted. A disabled webhook keeps its configuration. */
      enabled: boolean;
      /** Address with http or https to which events are posted. */
      url: string;
      /** Names of the subscribed events; every name when none was chosen. */
      events: string[];
      /** Extra headers of every post, by name. */
      headers: { [name: string]: string };
      /** Whether the name of the event is appended to the address, such as `/messages-upsert`. */
      byEvents: boolean;
      /** Whether posts contain the files of their messages as base64. */
      base64: boolean;
      /** Chats whose events are posted; two empty lists mean all. */
      chats: {
        /** Only these chats. Empty means all. */
        only: string[];
        /** Chats to leave out, even if `only` has them. */
        except: string[];
      };
      /** Secret that signs the posts, `whsec_…`. */
      secret: string;
      /** When the last replaced secret ends (ISO 8601, UTC); null when none signs any more. */
      oldSecretsUntil: string | null;
      /** When the webhook was created (ISO 8601, UTC). */
      createdAt: string;
      /** When the webhook was last changed (ISO 8601, UTC). */
      updatedAt: string;
    };
    /** The webhooks of an instance. */
    WebhookEndpoints: {
      /** The main webhook first, then the others, oldest first. */
      endpoints: components['schemas']['WebhookEndpoint'][];
    };
    /** The webhook that was removed. */
    RemovedWebhook: {
      /** UUID of the webhook that was removed. */
      id: string;
      /** Number of waiting posts that were dropped. */
      dropped: number;
    };
    /** How to replace the secret. */
    RotateBody: {
      /** New secret: `whsec_` and the base64 of 24 to 64 bytes. The default is a random one. */
      secret?: string;
      /** Hours for which the old secret signs as well. The default is 24; 0 ends it at once. */
      graceHours?: number;
    };
    /** The new secret. */
    RotatedSecret: {
      /** Id of the webhook, a UUID. */
      id: string;
      /** Secret that signs from now on, `whsec_…`. */
      secret: string;
      /** When the last replaced secret ends (ISO 8601, UTC); null when none signs any more. */
      oldSecretsUntil: string | null;
    };
    /** What a key may do. `read`: read and listen; `send`: act as the account; `admin`: manage instances, webhooks, settings, keys and the audit. */
    KeyScope: "read" | "send" | "admin";
    /** Properties of a key, without the key itself. */
    Key: {
      /** Id of the key, for `/keys/{id}`. */
      id: string;
      /** What the key is for, as its creator wrote it. */
      name: string;
      /** First characters of the key, to recognize it. */
      hint: string;
      /** What the key may do. */
      scopes: components['schemas']['KeyScope'][];
      /** Name of the instance that the key is bound to; null means all instances. */
      instance: string | null;
      /** When the key was created (ISO 8601, UTC). */
      createdAt: string;
      /** When the key expires (ISO 8601, UTC); null means never. */
      expiresAt: string | null;
      /** When the key was last used (ISO 8601, UTC); null means never. After a crash it may be a minute old. */
      lastUsedAt: string | null;
      /** `id` of the key that replaced this one; null when it was not rotated. */
      replacedBy: string | null;
    };
    /** All keys, oldest first. */
    KeyList: {
      /** The keys, oldest first. */
      keys: components['schemas']['Key'][];
    };
    /** Properties of the new key. */
    CreateKeyBody: {
      /** Name of the key, such as the program that uses it. */
      name: string;
      /** What the key may do. */
      scopes: components['schemas']['KeyScope'][];
      /** Name of the instance that the key is bound to. Absent means all instances. */
      instance?: string;
      /** When the key expires, as an ISO 8601 time with a zone. Absent means never. */
      expiresAt?: string;
    };
    /** The new key and its properties. */
    CreatedKey: {
      /** The key for the header `apikey`. Only this answer shows it. */
      key: string;
      /** Id of the key, for `/keys/{id}`. */
      id: string;
      /** What the key is for, as its creator wrote it. */
      name: string;
      /** First characters of the key, to recognize it. */
      hint: string;
      /** What the key may do. */
      scopes: components['schemas']['KeyScope'][];
      /** Name of the instance that the key is bound to; null means all instances. */
      instance: string | null;
      /** When the key was created (ISO 8601, UTC). */
      createdAt: string;
      /** When the key expires (ISO 8601, UTC); null means never. */
      expiresAt: string | null;
      /** When the key was last used (ISO 8601, UTC); null means never. After a crash it may be a minute old. */
      lastUsedAt: string | null;
      /** `id` of the key that replaced this one; null when it was not rotated. */
      replacedBy: string | null;
    };
    /** How long the old key stays valid. */
    RotateKeyBody: {
      /** Seconds for which the old key stays valid. The default is 86400; 0 ends it at once. */
      overlap?: number;
    };
    /** The key that replaces another one. */
    RotatedKey: {
      /** The key for the header `apikey`. Only this answer shows it. */
      key: string;
      /** The old key. */
      replaces: {
        /** Id of the old key. */
        id: string;
        /** When the old key ends (ISO 8601, UTC). */
        expiresAt: string;
      };
      /** Id of the new key, for `/keys/{id}`. */
      id: string;
      /** What the key is for, as its creator wrote it. */
      name: string;
      /** First characters of the key, to recognize it. */
      hint: string;
      /** What the key may do. */
      scopes: components['schemas']['KeyScope'][];
      /** Name of the instance that the key is bound to; null means all instances. */
      instance: string | null;
      /** When the key was created (ISO 8601, UTC). */
      createdAt: string;
      /** When the key expires (ISO 8601, UTC); null means never. */
      expiresAt: string | null;
      /** When the key was last used (ISO 8601, UTC); null means never. After a crash it may be a minute old. */
      lastUsedAt: string | null;
      /** `id` of the key that replaced this one; null when it was not rotated. */
      replacedBy: string | null;
    };
    /** The key that was revoked. */
    RevokedKey: {
      /** Id of the key that was revoked. */
      id: string;
    };
    /** One answered request. */
    AuditEntry: {
      /** When the request was answered (ISO 8601, UTC). */
      at: string;
      /** `id` of the key, `global` for the global key, or `instance` for the key of an instance. */
      key: string;
      /** `operationId` in this document. */
      operation: string;
      /** Name of the instance; null for an operation without one. */
      instance: string | null;
      /** Id of the object of the operation, such as a webhook or a key; null when there is none. */
      subject: string | null;
      /** HTTP status of the answer. */
      status: number;
      /** `requestId` of the request, as in the log. */
      requestId: string;
      /** IP address of the caller; `unknown` when the caller reset the connection before it was read. */
      address: string;
    };
    /** Audit entries, oldest first. */
    AuditPage: {
      /** The entries, oldest first. */
      entries: components['schemas']['AuditEntry'][];
      /** Cursor of the entries that follow, for `after`. */
      next: string;
    };
    /** The result of a test event. */
    WebhookTestResult: {
      /** `webhook-id` of the post. */
      id: string;
      /** True when the receiver answered 2xx. */
      delivered: boolean;
      /** HTTP status of the receiver; null when there was no answer. */
      status: number | null;
      /** Duration of the post in milliseconds. */
      ms: number;
      /** The first 2048 bytes of the answer, when it is text. With the key of an instance only where the operator keeps webhooks out of private networks (`EGRESS_STRICT`), else null. */
      body: string | null;
      /** Why there was no answer, such as `ECONNREFUSED`; null when there was one. */
      error: string | null;
    };
    /** Answer to a flat configuration. */
    WebhookEcho: {
      /** The instance and its webhook. */
      webhook: {
        /** Name under which the instance was created, as in the paths of the API. */
        instanceName: string;
        webhook: components['schemas']['WebhookConfig'];
      };
    };
    /** State of a delivery. `waiting`: the event is still to be posted; `delivered`: the receiver accepted it; `dead`: it was given up. */
    DeliveryState: "waiting" | "delivered" | "dead";
    /** Delivery of one event to one webhook. */
    DeliveryRecord: {
      /** `webhook-id` of the post. */
      id: string;
      /** Name of the event, such as `messages.upsert`. */
      event: string;
      /** The webhook. */
      endpoint: {
        /** Id of the webhook, a UUID. */
        id: string;
        /** Address of the webhook. Keys without the scope admin see scheme, host and port, and `***` for the rest. */
        url: string;
      };
      state: components['schemas']['DeliveryState'];
      /** Number of posts so far, quick retries included. */
      attempts: number;
      /** HTTP status of the last answer of the receiver; null when there was none. */
      lastStatus: number | null;
      /** Why there was no answer, or why the delivery was given up; null when there is no error. */
      lastError: string | null;
      /** Earliest time of the next attempt (ISO 8601, UTC); null means as soon as its turn comes, or never. */
      nextAttemptAt: string | null;
      /** When the delivery was last queued (ISO 8601, UTC). */
      createdAt: string;
      /** When the event was delivered or given up (ISO 8601, UTC); null while it waits. */
      settledAt: string | null;
    };
    /** Health of the receiver of one webhook. */
    EndpointHealth: {
      /** Id of the webhook, a UUID. */
      id: string;
      /** Address of the webhook. Keys without the scope admin see scheme, host and port, and `***` for the rest. */
      url: string;
      /** Whether events are posted. A disabled webhook keeps its waiting events until they expire. */
      enabled: boolean;
      /** Number of posts that wait. */
      waiting: number;
      /** Number of posts that were given up and can be replayed. */
      dead: number;
      /** Age of the oldest waiting post in seconds; null when none waits. */
      oldestAgeSeconds: number | null;
      /** Number of failed attempts since the last post that was received. A refusal (4xx) counts unless others are received. */
      consecutiveFailures: number;
      /** When the next probe is sent (ISO 8601, UTC), while the receiver is down or refuses everything. Null otherwise. */
      breakerOpenUntil: string | null;
      /** Since when nothing was received (ISO 8601, UTC); null while posts are received. After `WEBHOOK_DISABLE_HOURS` the webhook is disabled. */
      failingSince: string | null;
      /** The result of the last attempt, while nothing is taken. Absent otherwise, and after a start until there is an attempt. */
      lastFailure?: {
        /** HTTP status of the receiver; null when there was no answer. */
        status: number | null;
        /** Why there was no answer, such as `ECONNREFUSED`; null when there was one. */
        error: string | null;
        /** When the attempt ended (ISO 8601, UTC). */
        at: string;
      };
      /** Posts dropped since the gateway started because more than `WEBHOOK_BACKLOG` waited. Their events can be replayed while they are kept. */
      shed: {
        /** Number of dropped presences and statuses, which are dropped first. */
        light: number;
        /** Number of other dropped posts. */
        other: number;
        /** When posts were last dropped (ISO 8601, UTC); null when none were. */
        at: string | null;
      };
    };
    /** Deliveries of an instance and the health of its receivers. */
    Deliveries: {
      /** The health of each receiver. */
      endpoints: components['schemas']['EndpointHealth'][];
      /** The deliveries, newest event first. */
      deliveries: components['schemas']['DeliveryRecord'][];
      /** Newest first: all that run, and the last ten that ended, since the start of the process. */
      replays: components['schemas']['ReplayProgress'][];
      /** Cursor of the next page; null when this is the last. */
      next: string | null;
    };
    /** How far a replay is with one webhook. It is counted in memory: after a restart it is gone, while the posts still go out. While a receiver is paused or switched off, its replay waits with it. */
    ReplayProgress: {
      /** Id that the replay returned. It is the same for all webhooks of the replay. */
      id: string;
      /** The webhook of these posts. */
      endpoint: {
        /** UUID of the webhook. */
        id: string;
        /** Address of the webhook. Keys without the scope admin see scheme, host and port, and `***` for the rest. */
        url: string;
      };
      /** When the replay started (ISO 8601, UTC). */
      startedAt: string;
      /** Number of queued posts. */
      queued: number;
      /** Number of posts that were received. */
      delivered: number;
      /** Number of posts that were given up. */
      dead: number;
      /** Number of posts that will not be tried, because the backlog was full or their webhook was removed. */
      dropped: number;
      /** Percent of the posts that have ended in one of these ways, rounded down; 0 while more is being queued. */
      progress: number;
      /** True when all posts have ended. */
      done: boolean;
    };
    /** Events to post again. At least one of `ids`, `since`, `until` and `dead` must be given. */
    ReplayBody: {
      /** `webhook-id` of the posts to replay. */
      ids?: string[];
      /** Earliest time of the events (ISO 8601, UTC). */
      since?: string;
      /** Latest time of the events (ISO 8601, UTC). */
      until?: string;
      /** True replays only events that were given up. */
      dead?: boolean;
      /** Id of the only webhook to post to. Absent means all webhooks of the instance. */
      endpoint?: string;
    };
    /** Result of a replay request. */
    Replayed: {
      /** Id under which `GET /webhook/deliveries/{instance}` and the event stream show the progress; absent when nothing was queued. */
      id?: string;
      /** Number of queued posts, one per event and webhook. */
      queued: number;
      /** The `since` of the next replay (ISO 8601, UTC), when more would wait than `WEBHOOK_BACKLOG`. Absent otherwise. */
      resumeSince?: string;
    };
    /** An event as webhooks get it, without `destination` and with what the headers of a post say. */
    LoggedEvent: {
      /** `webhook-id` of its posts. */
      id: string;
      /** `webhook-seq` of its posts: a number that rises with every event. */
      seq: number;
      /** Name of the event, such as `messages.upsert`. */
      event: string;
      /** Name under which the instance was created, as in the paths of the API. */
      instance: string;
      /** Content that depends on the event, as under `webhooks`. */
      data: unknown;
      /** When the event happened (ISO 8601, UTC). */
      date_time: string;
      /** JID of the linked account, once it is known. */
      sender?: string;
      /** Public address of the gateway. */
      server_url: string;
      /** Key of the instance, only with `WEBHOOK_INCLUDE_APIKEY`. */
      apikey?: string;
    };
    /** Events of an instance, oldest first. */
    EventPage: {
      /** The events, oldest first. */
      events: components['schemas']['LoggedEvent'][];
      /** Cursor of the events that follow, for `after`. */
      next: string;
    };
    /** Fields that every post has besides `data`. */
    EventEnvelope: {
      /** Name of the event, such as `messages.upsert`. */
      event: string;
      /** Name under which the instance was created, as in the paths of the API. */
      instance: string;
      /** Content that depends on the event. */
      data: unknown;
      /** Configured address of the webhook, without the suffix of `byEvents`. */
      destination: string;
      /** When the event happened (ISO 8601, UTC). */
      date_time: string;
      /** JID of the linked account, once it is known. */
      sender?: string;
      /** Public address of the gateway. */
      server_url: string;
      /** Key of the instance, only with `WEBHOOK_INCLUDE_APIKEY`. */
      apikey?: string;
    };
    /** A message. A text always has `message.conversation` and the messageType `conversation`; when the platform used `extendedTextMessage`, that stays beside it. In the same way, the content of `ephemeralMessage` (a disappearing message) and of `documentWithCaptionMessage` is in `message` too, beside the wrapper, and gives the message its messageType and contextInfo. */
    WebhookMessage: {
      key: components['schemas']['MessageKey'];
      /** Name that the sender chose. */
      pushName?: string;
      message: components['schemas']['MessageContent'];
      /** Quotes and mentions. */
      contextInfo?: { [name: string]: unknown };
      /** Name of the content object, such as `imageMessage`. */
      messageType: string;
      /** When the message was sent, in seconds since the epoch. */
      messageTimestamp: number;
      /** UUID that the gateway gave the instance when it was created. */
      instanceId: string;
      /** Name under which the instance was created, as in the paths of the API. */
      owner: string;
      /** Kind of device that sent the message. */
      source: "android" | "ios" | "web" | "desktop" | "unknown";
      status?: components['schemas']['MessageStatus'];
    };
    /** A contact as far as the platform has described it. */
    WebhookContact: {
      /** The same as `remoteJid`. */
      id?: string;
      /** JID of the contact, in phone-number form when the number is known, else the LID (`…@lid`). */
      remoteJid: string;
      /** LID of the same person, when it is known. */
      lid?: string;
      /** The name that WhatsApp reported last: the one that the contact chose, or the one in the address book of the phone. */
      pushName?: string | null;
      /** User name of the person, when the platform sent it. */
      username?: string;
      /** The address of the profile picture; null when it is hidden or missing. */
      profilePicUrl?: string | null;
      /** The same as `profilePicUrl`. */
      profilePictureUrl?: string | null;
      /** UUID that the gateway gave the instance when it was created. */
      instanceId: string;
      /** Name under which the instance was created, as in the paths of the API. */
      owner: string;
    };
    /** A QR code or a pairing code, or the reason why no more follow. */
    QrcodeUpdatedData: {
      /** The QR code or the pairing code. */
      qrcode: {
        /** Name under which the instance was created, as in the paths of the API. */
        instance: string;
        /** Pairing code to type on the phone; null unless a number was given. */
        pairingCode: string | null;
        /** Content of the QR code as text. */
        code: string;
        /** QR code as a PNG data URL. */
        base64: string;
        /** Number of QR codes so far, this one included. */
        count?: number;
      };
    } | {
      /** Sentence that says why no more codes follow. */
      message: string;
      /** Close code that goes with the sentence, such as 500. */
      statusCode: number;
    };
    /** The new state, its cause, and what a person has to do. */
    ConnectionUpdateData: {
      /** Name under which the instance was created, as in the paths of the API. */
      instance: string;
      /** State of the connection. `refused` means that the limit of QR codes was reached. */
      state: "open" | "connecting" | "close" | "refused";
      /** Close code of the platform, 200 when nothing failed. */
      statusReason: number;
      /** Why the connection closed, as a stable word such as `logged_out`. */
      cause?: string;
      /** The cause as a sentence. */
      message?: string;
      /** What a person has to do; null or absent when nothing is needed. */
      userAction?: string;
      /** When the next automatic attempt starts (ISO 8601, UTC); absent when there is none. */
      retryAt?: string;
      /** The account can be linked only with a passkey: the request waits for an answer, or the code for its confirmation. With the cause `passkey_disabled` the setting `PASSKEY_LINKING` is off. */
      passkey?: "required" | "confirm";
      /** When the link with the passkey ends (ISO 8601, UTC). */
      passkeyExpiresAt?: string;
      /** JID of the linked account, when the connection is open. */
      wuid?: string;
      /** The name in the profile of the account. */
      profileName?: string;
      /** The address of the profile picture; null when it is hidden or missing. */
      profilePictureUrl?: string | null;
    };
    /** One status of one message; or, without a status, a vote in a poll (`pollUpdates`) or a star (`starred`). */
    MessagesUpdateData: {
      /** Identifier of the message, as in its `key`. */
      keyId: string;
      /** The same as `keyId`. */
      id: string;
      /** The same as `keyId`, which is also the `id` of the record in findMessages. */
      messageId?: string;
      key: components['schemas']['MessageKey'];
      /** JID of the chat, in phone-number form when the number is known. */
      remoteJid: string;
      /** Whether this account sent the message. */
      fromMe: boolean;
      /** JID of the group member whose receipt it was. */
      participant?: string;
      status?: components['schemas']['MessageStatus'];
      /** When the status, the vote or the star was set, in milliseconds since the epoch. */
      datetime: number;
      /** Result of the poll so far: every option with those who chose it. */
      pollUpdates?: {
        /** Text of the option. */
        name: string;
        /** JIDs of the users who chose the option. */
        voters: string[];
      }[];
      /** The vote that changed the result. `options` is empty when the vote was withdrawn. */
      vote?: {
        /** Identifier of the message that carries the vote. */
        id: string;
        /** JID of the voter, in phone-number form when the number is known. */
        voter: string;
        /** LID of the voter, when it is known. */
        lid?: string;
        /** Options that the voter chose, by their text. */
        options: string[];
      };
      /** Whether the message is starred now, after a change on a device of the account. */
      starred?: boolean;
      /** Error code of the platform, with the status ERROR. */
      code?: string;
      /** Reason of the status ERROR, such as `account_restricted`. The page of error codes lists all. */
      reason?: string;
      /** UUID that the gateway gave the instance when it was created. */
      instanceId: string;
      /** Name under which the instance was created, as in the paths of the API. */
      owner: string;
    };
    /** Presences of persons in a chat. */
    PresenceUpdateData: {
      /** JID of the chat, in phone-number form when the number is known. */
      id: string;
      /** LID of the chat partner, when it is known. */
      lid?: string;
      /** Presence of each person, by JID. */
      presences: { [name: string]: {
        /** What the person does: available, unavailable, composing, recording or paused. */
        lastKnownPresence: string;
        /** When the person was last online, in seconds since the epoch. */
        lastSeen?: number;
        /** LID of the person, when it is known. */
        lid?: string;
      } };
    };
    /** A message whose content could not be read. */
    MessagesUndecryptableData: {
      key: components['schemas']['MessageKey'];
      /** The name that the sender chose. */
      pushName?: string;
      /** When the message was sent, in seconds since the epoch. */
      messageTimestamp: number;
      /** The cause: `unprocessable` when the content cannot be handled and nothing follows, `view_once` when only the phone shows the message, otherwise the error of the decryption. */
      reason: string;
      /** UUID that the gateway gave the instance when it was created. */
      instanceId: string;
      /** Name under which the instance was created, as in the paths of the API. */
      owner: string;
    };
    /** An edit of a message. */
    MessageEditData: {
      key: components['schemas']['MessageKey'];
      /** Always `MESSAGE_EDIT`. */
      type: string;
      editedMessage: components['schemas']['MessageContent'];
      /** When the message was edited, in milliseconds since the epoch, as text. */
      timestampMs: string;
      /** Identifier of the edited message. */
      keyId: string;
      /** Identifier of the edit itself, only in send.message.update. */
      editId?: string;
      /** UUID that the gateway gave the instance when it was created. */
      instanceId: string;
      /** Name under which the instance was created, as in the paths of the API. */
      owner: string;
    };
    /** A message that was deleted, for everyone unless `scope` says otherwise. */
    MessagesDeleteData: {
      /** Identifier of the deleted message. */
      id: string;
      /** The same as `id`. */
      keyId?: string;
      /** The same as `id`. */
      messageId?: string;
      /** JID of the chat, in phone-number form when the number is known. */
      remoteJid: string;
      /** Whether this account sent the message. */
      fromMe: boolean;
      /** JID of the author of a message in a group. */
      participant?: string;
      key: components['schemas']['MessageKey'];
      /** Always `DELETED`. */
      status: string;
      /** `me` when only the devices of this account deleted the message for themselves; the store keeps it then. */
      scope?: "me";
      /** When the message was deleted, in milliseconds since the epoch. */
      datetime: number;
      /** UUID that the gateway gave the instance when it was created. */
      instanceId: string;
      /** Name under which the instance was created, as in the paths of the API. */
      owner: string;
    };
    /** A chat, or what changed about it. Absent fields are unknown or unchanged. */
    WebhookChat: {
      /** JID of the chat, in phone-number form when the number is known. */
      remoteJid: string;
      /** The same as `remoteJid`. */
      id?: string;
      /** LID of the same person, when it is known. */
      lid?: string;
      /** Name of the chat on the phone. */
      name?: string;
      /** The number of unread messages; -1 when the chat was marked as unread by hand. */
      unreadMessages?: number;
      /** When the last message was sent, in seconds since the epoch. */
      lastMsgTimestamp?: number;
      /** Whether the chat is archived. */
      archived?: boolean;
      /** Whether the chat is pinned. */
      pinned?: boolean;
      /** When the mute ends, in milliseconds since the epoch; -1 means without an end, null not muted. */
      muteEndTime?: number | null;
      /** Seconds after which messages disappear; 0: they stay. */
      ephemeralExpiration?: number;
      /** UUID that the gateway gave the instance when it was created. */
      instanceId: string;
      /** Name under which the instance was created, as in the paths of the API. */
      owner: string;
    };
    /** A label as it is now. */
    LabelsEditData: {
      /** Id of the label, for `labelId`. */
      id: string;
      /** Name of the label; may be empty when the label was removed. */
      name: string;
      /** The platform's number of the color. */
      color: number;
      /** Whether the label was removed. */
      deleted: boolean;
      /** Id that the platform gives a label that every account has. */
      predefinedId?: string;
      /** Name under which the instance was created, as in the paths of the API. */
      instance: string;
      /** UUID that the gateway gave the instance when it was created. */
      instanceId: string;
    };
    /** A label that was added to a chat or a message, or removed from it. */
    LabelsAssociationData: {
      /** Whether the label was added or removed. */
      type: "add" | "remove";
      /** JID of the chat, in phone-number form when the number is known. */
      chatId: string;
      /** LID of the chat partner, when it is known. */
      lid?: string;
      /** Id of the label, as in findLabels. */
      labelId: string;
      /** Identifier of the labeled message; absent when the chat itself was labeled. */
      messageId?: string;
      /** Name under which the instance was created, as in the paths of the API. */
      instance: string;
      /** UUID that the gateway gave the instance when it was created. */
      instanceId: string;
    };
    /** The new group. */
    GroupsUpsertData: (components['schemas']['GroupRecord'] & {
      /** JID of the user who created the group or added this account. */
      author?: string;
      /** LID of the author, when it is known. */
      authorAlt?: string;
    })[];
    /** Changes of a group. Absent fields are unchanged. */
    GroupsUpdateData: ({
      /** JID of the group, which ends in `@g.us`. */
      id: string;
      /** Name that the group shows. */
      subject?: string;
      /** New description of the group; empty when it was removed. */
      desc?: string;
      /** True when only admins may send messages. */
      announce?: boolean;
      /** True when only admins may edit the settings. */
      restrict?: boolean;
      /** The new invite code; the old one is void. */
      inviteCode?: string;
      /** True when every member may add others. */
      memberAddMode?: boolean;
      /** True when an admin has to let people in. */
      joinApprovalMode?: boolean;
      /** Seconds after which messages disappear, 0 when they stay. */
      ephemeralDuration?: number;
      /** Whether the picture was replaced or removed. */
      picture?: "changed" | "removed";
      /** JID of the user who did it, when the platform names one. */
      author?: string;
      /** LID of the author, when it is known. */
      authorAlt?: string;
    })[];
    /** A member whom a change is about. */
    GroupParticipantData: {
      /** JID of the user, in phone-number form when the number is known, else the LID. */
      jid: string;
      /** Phone number in E.164 digits without `+`, when it is known. */
      phoneNumber?: string;
      /** LID of the same person, when it is known. */
      lid?: string;
      /** User name of the person, when the platform sent it. */
      username?: string;
      /** Rank in the group, when the platform names it. */
      admin?: "admin" | "superadmin";
    };
    /** Members who joined, left, or were promoted or demoted. */
    GroupParticipantsUpdateData: {
      /** JID of the group. */
      id: string;
      /** JID of the user who did it, when the platform names one. */
      author?: string;
      /** LID of the author, when it is known. */
      authorAlt?: string;
      /** JIDs of the members, as in `participantsData`. */
      participants: string[];
      /** What happened to the members; `modify` means that a member changed the phone number. */
      action: "add" | "remove" | "promote" | "demote" | "modify";
      /** The members with all their addresses. */
      participantsData: components['schemas']['GroupParticipantData'][];
    };
    /** A request to join a group. */
    GroupJoinRequestData: {
      /** JID of the group. */
      id: string;
      /** What happened to the request: `revoked` by the user, `rejected` by an admin. */
      action: "created" | "revoked" | "rejected";
      /** How the user requested to join, as the platform names it, such as invite_link. */
      method?: string;
      /** JID of the user who wants to join. */
      participant: string;
      participantData: components['schemas']['GroupParticipantData'];
      /** JID of the user who did it. */
      author?: string;
      /** LID of the author, when it is known. */
      authorAlt?: string;
    };
    /** A call and its outcome. */
    CallData: {
      /** JID of the chat: the caller, or the group of a group call. */
      chatId: string;
      /** JID of the caller, in phone-number form when the number is known. */
      from: string;
      /** LID of the caller, when known. */
      fromAlt?: string;
      /** Id of the call, the same in all its events. */
      id: string;
      /** When the platform reported the status (ISO 8601, UTC). */
      date: string;
      /** The status as the platform names it, such as offer, ringing, accept, reject, timeout or terminate. */
      status: string;
      /** True when the instance was not connected while the call rang. */
      offline: boolean;
      /** Whether it is a video call. */
      isVideo?: boolean;
      /** Whether it is a call in a group. */
      isGroup?: boolean;
      /** JID of the group, which ends in `@g.us`. */
      groupJid?: string;
      /** The latency that the platform reports, in milliseconds. */
      latencyMs?: number;
    };
    /** How the connection ended. */
    StatusInstanceData: {
      /** Name under which the instance was created, as in the paths of the API. */
      instance: string;
      /** Always `closed`. */
      status: "closed";
      /** When the connection closed (ISO 8601, UTC). */
      disconnectionAt: string;
      /** Close code of the platform, such as 401. */
      disconnectionReasonCode: number;
      /** JSON text: the code at error.output.statusCode, cause and sentence in error.output.payload. */
      disconnectionObject: string;
      /** UUID that the gateway gave the instance when it was created. */
      instanceId: string;
    };
    /** A restriction of the account by the platform. */
    InstanceRestrictedData: {
      /** Name under which the instance was created, as in the paths of the API. */
      instance: string;
      /** Kind of the restriction. The two kinds are independent of each other. */
      kind: "new_chats_locked" | "new_chats_capped";
      /** Whether the account is restricted now. */
      restricted: boolean;
      /** The platform's word for it, such as BIZ_QUALITY, CAPPED or FIRST_WARNING. */
      reason: string;
      /** When the restriction or the counted period ends (ISO 8601, UTC). */
      until?: string;
      /** New chats in this period. */
      quota?: {
        /** Number of new chats that are allowed in the period. */
        total: number;
        /** Number of new chats that were started in the period. */
        used: number;
      };
      /** UUID that the gateway gave the instance when it was created. */
      instanceId: string;
    };
    /** Progress of the history that the phone sends. */
    HistoryProgressData: {
      /** Name under which the instance was created, as in the paths of the API. */
      instance: string;
      /** Part of the history that is being sent: the newest messages of each chat, the last months, or, with `syncFullHistory`, all. Each part is counted from 0 to 100. */
      syncType: "INITIAL_BOOTSTRAP" | "RECENT" | "FULL";
      /** Percentage of this kind that is stored. Absent when the phone does not report it. */
      progress?: number;
      /** Number of new messages of the past that were posted as messages.set since the connection opened. */
      messages: number;
      /** True when RECENT or FULL is complete. INITIAL_BOOTSTRAP is never complete; RECENT follows. */
      done: boolean;
      /** UUID that the gateway gave the instance when it was created. */
      instanceId: string;
    };
    /** The instance. */
    InstanceNameData: {
      /** Name under which the instance was created, as in the paths of the API. */
      instanceName: string;
      /** UUID that the gateway gave the instance when it was created. */
      instanceId: string;
    };
    /** The start of the gateway. */
    ApplicationStartupData: {
      /** Name under which the instance was created, as in the paths of the API. */
      instance: string;
      /** UUID that the gateway gave the instance when it was created. */
      instanceId: string;
      /** Release of the gateway that started. */
      gatewayVersion: string;
      /** When the process started (ISO 8601, UTC). */
      startedAt: string;
    };
    /** The post of qrcode.updated. */
    QrcodeUpdatedEvent: components['schemas']['EventEnvelope'] & {
      /** Always `qrcode.updated` in this post. */
      event?: "qrcode.updated";
      data?: components['schemas']['QrcodeUpdatedData'];
    };
    /** The post of connection.update. */
    ConnectionUpdateEvent: components['schemas']['EventEnvelope'] & {
      /** Always `connection.update` in this post. */
      event?: "connection.update";
      data?: components['schemas']['ConnectionUpdateData'];
    };
    /** The post of messages.upsert. */
    MessagesUpsertEvent: components['schemas']['EventEnvelope'] & {
      /** Always `messages.upsert` in this post. */
      event?: "messages.upsert";
      data?: components['schemas']['WebhookMessage'];
    };
    /** The post of messages.update. */
    MessagesUpdateEvent: components['schemas']['EventEnvelope'] & {
      /** Always `messages.update` in this post. */
      event?: "messages.update";
      data?: components['schemas']['MessagesUpdateData'];
    };
    /** The post of send.message. */
    SendMessageEvent: components['schemas']['EventEnvelope'] & {
      /** Always `send.message` in this post. */
      event?: "send.message";
      data?: components['schemas']['WebhookMessage'];
    };
    /** The post of send.message.update. */
    SendMessageUpdateEvent: components['schemas']['EventEnvelope'] & {
      /** Always `send.message.update` in this post. */
      event?: "send.message.update";
      data?: components['schemas']['MessageEditData'];
    };
    /** The post of messages.edited. */
    MessagesEditedEvent: components['schemas']['EventEnvelope'] & {
      /** Always `messages.edited` in this post. */
      event?: "messages.edited";
      data?: components['schemas']['MessageEditData'];
    };
    /** The post of messages.delete. */
    MessagesDeleteEvent: components['schemas']['EventEnvelope'] & {
      /** Always `messages.delete` in this post. */
      event?: "messages.delete";
      data?: components['schemas']['MessagesDeleteData'];
    };
    /** The post of presence.update. */
    PresenceUpdateEvent: components['schemas']['EventEnvelope'] & {
      /** Always `presence.update` in this post. */
      event?: "presence.update";
      data?: components['schemas']['PresenceUpdateData'];
    };
    /** The post of contacts.upsert. */
    ContactsUpsertEvent: components['schemas']['EventEnvelope'] & {
      /** Always `contacts.upsert` in this post. */
      event?: "contacts.upsert";
      /** The contacts. */
      data?: components['schemas']['WebhookContact'][];
    };
    /** The post of contacts.update. */
    ContactsUpdateEvent: components['schemas']['EventEnvelope'] & {
      /** Always `contacts.update` in this post. */
      event?: "contacts.update";
      /** The contacts. */
      data?: components['schemas']['WebhookContact'][];
    };
    /** The post of messages.set. */
    MessagesSetEvent: components['schemas']['EventEnvelope'] & {
      /** Always `messages.set` in this post. */
      event?: "messages.set";
      /** The messages. */
      data?: components['schemas']['WebhookMessage'][];
    };
    /** The post of chats.set. */
    ChatsSetEvent: components['schemas']['EventEnvelope'] & {
      /** Always `chats.set` in this post. */
      event?: "chats.set";
      /** The chats. */
      data?: components['schemas']['WebhookChat'][];
    };
    /** The post of chats.upsert. */
    ChatsUpsertEvent: components['schemas']['EventEnvelope'] & {
      /** Always `chats.upsert` in this post. */
      event?: "chats.upsert";
      /** The chats. */
      data?: components['schemas']['WebhookChat'][];
    };
    /** The post of chats.update. */
    ChatsUpdateEvent: components['schemas']['EventEnvelope'] & {
      /** Always `chats.update` in this post. */
      event?: "chats.update";
      /** The chats. */
      data?: components['schemas']['WebhookChat'][];
    };
    /** The post of chats.delete. */
    ChatsDeleteEvent: components['schemas']['EventEnvelope'] & {
      /** Always `chats.delete` in this post. */
      event?: "chats.delete";
      /** JIDs of the deleted chats. */
      data?: string[];
    };
    /** The post of labels.edit. */
    LabelsEditEvent: components['schemas']['EventEnvelope'] & {
      /** Always `labels.edit` in this post. */
      event?: "labels.edit";
      data?: components['schemas']['LabelsEditData'];
    };
    /** The post of labels.association. */
    LabelsAssociationEvent: components['schemas']['EventEnvelope'] & {
      /** Always `labels.association` in this post. */
      event?: "labels.association";
      data?: components['schemas']['LabelsAssociationData'];
    };
    /** The post of messages.undecryptable. */
    MessagesUndecryptableEvent: components['schemas']['EventEnvelope'] & {
      /** Always `messages.undecryptable` in this post. */
      event?: "messages.undecryptable";
      data?: components['schemas']['MessagesUndecryptableData'];
    };
    /** The post of logout.instance. */
    LogoutInstanceEvent: components['schemas']['EventEnvelope'] & {
      /** Always `logout.instance` in this post. */
      event?: "logout.instance";
      /** Always null. */
      data?: null;
    };
    /** The post of remove.instance. */
    RemoveInstanceEvent: components['schemas']['EventEnvelope'] & {
      /** Always `remove.instance` in this post. */
      event?: "remove.instance";
      /** Always null. */
      data?: null;
    };
    /** The post of groups.upsert. */
    GroupsUpsertEvent: components['schemas']['EventEnvelope'] & {
      /** Always `groups.upsert` in this post. */
      event?: "groups.upsert";
      data?: components['schemas']['GroupsUpsertData'];
    };
    /** The post of groups.update. */
    GroupsUpdateEvent: components['schemas']['EventEnvelope'] & {
      /** Always `groups.update` in this post. */
      event?: "groups.update";
      data?: components['schemas']['GroupsUpdateData'];
    };
    /** The post of group-participants.update. */
    GroupParticipantsUpdateEvent: components['schemas']['EventEnvelope'] & {
      /** Always `group-participants.update` in this post. */
      event?: "group-participants.update";
      data?: components['schemas']['GroupParticipantsUpdateData'];
    };
    /** The post of group.join-request. */
    GroupJoinRequestEvent: components['schemas']['EventEnvelope'] & {
      /** Always `group.join-request` in this post. */
      event?: "group.join-request";
      data?: components['schemas']['GroupJoinRequestData'];
    };
    /** The post of call. */
    CallEvent: components['schemas']['EventEnvelope'] & {
      /** Always `call` in this post. */
      event?: "call";
      data?: components['schemas']['CallData'];
    };
    /** The post of status.instance. */
    StatusInstanceEvent: components['schemas']['EventEnvelope'] & {
      /** Always `status.instance` in this post. */
      event?: "status.instance";
      data?: components['schemas']['StatusInstanceData'];
    };
    /** The post of instance.restricted. */
    InstanceRestrictedEvent: components['schemas']['EventEnvelope'] & {
      /** Always `instance.restricted` in this post. */
      event?: "instance.restricted";
      data?: components['schemas']['InstanceRestrictedData'];
    };
    /** The post of history.progress. */
    HistoryProgressEvent: components['schemas']['EventEnvelope'] & {
      /** Always `history.progress` in this post. */
      event?: "history.progress";
      data?: components['schemas']['HistoryProgressData'];
    };
    /** The post of instance.create. */
    InstanceCreateEvent: components['schemas']['EventEnvelope'] & {
      /** Always `instance.create` in this post. */
      event?: "instance.create";
      data?: components['schemas']['InstanceNameData'];
    };
    /** The post of instance.delete. */
    InstanceDeleteEvent: components['schemas']['EventEnvelope'] & {
      /** Always `instance.delete` in this post. */
      event?: "instance.delete";
      data?: components['schemas']['InstanceNameData'];
    };
    /** The post of webhook.test. */
    WebhookTestEvent: components['schemas']['EventEnvelope'] & {
      /** Always `webhook.test` in this post. */
      event?: "webhook.test";
      /** The tested webhook. */
      data?: {
        /** Id of the webhook, a UUID. */
        webhookId: string;
        /** Whether the webhook is enabled. */
        enabled: boolean;
      };
    };
    /** The post of application.startup. */
    ApplicationStartupEvent: components['schemas']['EventEnvelope'] & {
      /** Always `application.startup` in this post. */
      event?: "application.startup";
      data?: components['schemas']['ApplicationStartupData'];
    };
  };
  responses: {
    Received: {
      headers: { [name: string]: unknown };
      content?: never;
    };
    BadQuery: {
      headers: { [name: string]: unknown };
      content: {
        "application/json": components['schemas']['ErrorBody'];
      };
    };
    BadRequest: {
      headers: { [name: string]: unknown };
      content: {
        "application/json": components['schemas']['ErrorBody'];
      };
    };
    BadSessionQuery: {
      headers: { [name: string]: unknown };
      content: {
        "application/json": components['schemas']['ErrorBody'];
      };
    };
    BadSessionRequest: {
      headers: { [name: string]: unknown };
      content: {
        "application/json": components['schemas']['ErrorBody'];
      };
    };
    BadLogout: {
      headers: { [name: string]: unknown };
      content: {
        "application/json": components['schemas']['ErrorBody'];
      };
    };
    BadMessage: {
      headers: { [name: string]: unknown };
      content: {
        "application/json": components['schemas']['ErrorBody'];
      };
    };
    BadContactMessage: {
      headers: { [name: string]: unknown };
      content: {
        "application/json": components['schemas']['ErrorBody'];
      };
    };
    BadMediaMessage: {
      headers: { [name: string]: unknown };
      content: {
        "application/json": components['schemas']['ErrorBody'];
      };
    };
    BadEdit: {
      headers: { [name: string]: unknown };
      content: {
        "application/json": components['schemas']['ErrorBody'];
      };
    };
    BadPicture: {
      headers: { [name: string]: unknown };
      content: {
        "application/json": components['schemas']['ErrorBody'];
      };
    };
    BadFile: {
      headers: { [name: string]: unknown };
      content: {
        "application/json": components['schemas']['ErrorBody'];
      };
    };
    BadGroupQuery: {
      headers: { [name: string]: unknown };
      content: {
        "application/json": components['schemas']['ErrorBody'];
      };
    };
    BadGroupRequest: {
      headers: { [name: string]: unknown };
      content: {
        "application/json": components['schemas']['ErrorBody'];
      };
    };
    BadGroupPicture: {
      headers: { [name: string]: unknown };
      content: {
        "application/json": components['schemas']['ErrorBody'];
      };
    };
    BadChannelQuery: {
      headers: { [name: string]: unknown };
      content: {
        "application/json": components['schemas']['ErrorBody'];
      };
    };
    BadChannelRequest: {
      headers: { [name: string]: unknown };
      content: {
        "application/json": components['schemas']['ErrorBody'];
      };
    };
    BadChannelPicture: {
      headers: { [name: string]: unknown };
      content: {
        "application/json": components['schemas']['ErrorBody'];
      };
    };
    BadPasskey: {
      headers: { [name: string]: unknown };
      content: {
        "application/json": components['schemas']['ErrorBody'];
      };
    };
    BadPasskeyConfirmation: {
      headers: { [name: string]: unknown };
      content: {
        "application/json": components['schemas']['ErrorBody'];
      };
    };
    BadImport: {
      headers: { [name: string]: unknown };
      content: {
        "application/json": components['schemas']['ErrorBody'];
      };
    };
    BadExport: {
      headers: { [name: string]: unknown };
      content: {
        "application/json": components['schemas']['ErrorBody'];
      };
    };
    SessionConflict: {
      headers: { [name: string]: unknown };
      content: {
        "application/json": components['schemas']['ErrorBody'];
      };
    };
    NotStopped: {
      headers: { [name: string]: unknown };
      content: {
        "application/json": components['schemas']['ErrorBody'];
      };
    };
    BundleTooLarge: {
      headers: { [name: string]: unknown };
      content: {
        "application/json": components['schemas']['ErrorBody'];
      };
    };
    PasskeyConflict: {
      headers: { [name: string]: unknown };
      content: {
        "application/json": components['schemas']['ErrorBody'];
      };
    };
    PasskeyExpired: {
      headers: { [name: string]: unknown };
      content: {
        "application/json": components['schemas']['ErrorBody'];
      };
    };
    BadProxy: {
      headers: { [name: string]: unknown };
      content: {
        "application/json": components['schemas']['ErrorBody'];
      };
    };
    BadWebhook: {
      headers: { [name: string]: unknown };
      content: {
        "application/json": components['schemas']['ErrorBody'];
      };
    };
    BadNewWebhook: {
      headers: { [name: string]: unknown };
      content: {
        "application/json": components['schemas']['ErrorBody'];
      };
    };
    BadInstance: {
      headers: { [name: string]: unknown };
      content: {
        "application/json": components['schemas']['ErrorBody'];
      };
    };
    BadChatRequest: {
      headers: { [name: string]: unknown };
      content: {
        "application/json": components['schemas']['ErrorBody'];
      };
    };
    Unauthorized: {
      headers: { [name: string]: unknown };
      content: {
        "application/json": components['schemas']['ErrorBody'];
      };
    };
    Forbidden: {
      headers: { [name: string]: unknown };
      content: {
        "application/json": components['schemas']['ErrorBody'];
      };
    };
    NotFound: {
      headers: { [name: string]: unknown };
      content: {
        "application/json": components['schemas']['ErrorBody'];
      };
    };
    LinkRefused: {
      headers: { [name: string]: unknown };
      content: {
        "application/json": components['schemas']['ErrorBody'];
      };
    };
    Gone: {
      headers: { [name: string]: unknown };
      content: {
        "application/json": components['schemas']['ErrorBody'];
      };
    };
    CursorExpired: {
      headers: { [name: string]: unknown };
      content: {
        "application/json": components['schemas']['ErrorBody'];
      };
    };
    FileTooLarge: {
      headers: { [name: string]: unknown };
      content: {
        "application/json": components['schemas']['ErrorBody'];
      };
    };
    FileUnusable: {
      headers: { [name: string]: unknown };
      content: {
        "application/json": components['schemas']['ErrorBody'];
      };
    };
    PayloadTooLarge: {
      headers: { [name: string]: unknown };
      content: {
        "application/json": components['schemas']['ErrorBody'];
      };
    };
    UnsupportedMediaType: {
      headers: { [name: string]: unknown };
      content: {
        "application/json": components['schemas']['ErrorBody'];
      };
    };
    InFlight: {
      headers: { [name: string]: unknown };
      content: {
        "application/json": components['schemas']['ErrorBody'];
      };
    };
    KeyMismatch: {
      headers: { [name: string]: unknown };
      content: {
        "application/json": components['schemas']['ErrorBody'];
      };
    };
    TooManyRequests: {
      headers: { [name: string]: unknown };
      content: {
        "application/json": components['schemas']['ErrorBody'];
      };
    };
    InternalError: {
      headers: { [name: string]: unknown };
      content: {
        "application/json": components['schemas']['ErrorBody'];
      };
    };
    NotImplemented: {
      headers: { [name: string]: unknown };
      content: {
        "application/json": components['schemas']['ErrorBody'];
      };
    };
    BadGateway: {
      headers: { [name: string]: unknown };
      content: {
        "application/json": components['schemas']['ErrorBody'];
      };
    };
    Unavailable: {
      headers: { [name: string]: unknown };
      content: {
        "application/json": components['schemas']['ErrorBody'];
      };
    };
    GatewayTimeout: {
      headers: { [name: string]: unknown };
      content: {
        "application/json": components['schemas']['ErrorBody'];
      };
    };
    Misdirected: {
      headers: { [name: string]: unknown };
      content: {
        "application/json": components['schemas']['ErrorBody'];
      };
    };
    PeerRefused: {
      headers: { [name: string]: unknown };
      content: {
        "application/json": components['schemas']['ErrorBody'];
      };
    };
    RequestIncomplete: {
      headers: { [name: string]: unknown };
      content: {
        "application/json": components['schemas']['ErrorBody'];
      };
    };
    HeadersTooLarge: {
      headers: { [name: string]: unknown };
      content: {
        "application/json": components['schemas']['ErrorBody'];
      };
    };
  };
}
