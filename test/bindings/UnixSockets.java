// Lets the JDBC driver reach a server that listens on a Unix socket only: socketFactory=UnixSockets and
// socketFactoryArg=/path/of/the/socket. As much of a socket as the driver uses.
import java.io.*;
import java.net.*;
import java.nio.channels.*;
import javax.net.SocketFactory;

public class UnixSockets extends SocketFactory {
    private final String path;

    public UnixSockets(String path) {
        this.path = path;
    }

    @Override
    public Socket createSocket() {
        return new UnixSocket();
    }

    @Override
    public Socket createSocket(String host, int port) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress local, int localPort) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Socket createSocket(InetAddress host, int port) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Socket createSocket(InetAddress host, int port, InetAddress local, int localPort) {
        throw new UnsupportedOperationException();
    }

    private class UnixSocket extends Socket {
        private SocketChannel channel;

        @Override
        public void connect(SocketAddress ignored, int timeout) throws IOException {
            channel = SocketChannel.open(UnixDomainSocketAddress.of(path));
        }

        @Override
        public InputStream getInputStream() {
            return Channels.newInputStream(channel);
        }

        @Override
        public OutputStream getOutputStream() {
            return Channels.newOutputStream(channel);
        }

        @Override
        public void close() throws IOException {
            if (channel != null) channel.close();
        }

        @Override
        public boolean isConnected() {
            return channel != null;
        }

        @Override
        public boolean isClosed() {
            return channel != null && !channel.isOpen();
        }

        @Override
        public void setTcpNoDelay(boolean on) {}

        @Override
        public void setKeepAlive(boolean on) {}

        @Override
        public void setSoTimeout(int milliseconds) {}

        @Override
        public int getSoTimeout() {
            return 0;
        }
    }
}
